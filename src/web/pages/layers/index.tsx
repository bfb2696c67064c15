import '../tables.css';
import { useMemo } from 'preact/hooks';
import { type PackedLayers, unpackLayers } from '../../../analyses/layers/packed.ts';
import type { Columns } from '../../../model/columns.ts';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import type { PageProps } from '../page.ts';
import { ModelView } from './model-view.tsx';

/** What every layer of a model held, iteration by iteration. */
export default function LayersPage(props: PageProps) {
  const { run } = props;
  const fetched = useResource<Columns<PackedLayers>>(`run/${run.id}/layers`);
  return (
    <Awaited what="layers" fetched={fetched}>
      {(columns) => <Models columns={columns} page={props} />}
    </Awaited>
  );
}

function Models({ columns, page }: { columns: Columns<PackedLayers>; page: PageProps }) {
  const models = useMemo(() => unpackLayers(columns.header, columns.arrays), [columns]);
  const { state } = page;
  const model = models.find(({ history }) => String(history.pid) === state.pid) ?? models[0];
  if (!model) return <p class="muted">No process told of layers yet.</p>;
  return <ModelView key={model.history.pid} models={models} model={model} page={page} />;
}
