import '../tables.css';
import type { HeapView } from '../../../analyses/heap/view.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import type { PageProps } from '../page.ts';
import { AccountList } from './account-list.tsx';
import { HeapControls } from './controls.tsx';
import { Crumbs } from './crumbs.tsx';
import { HeapDifference } from './heap-difference.tsx';
import { HolderTable } from './holder-table.tsx';
import { PartitionTable } from './partition-table.tsx';
import { PathList } from './path-list.tsx';
import { SinceHead } from './since-head.tsx';
import { shownOf } from './state.ts';
import { count } from './words.ts';

/** The objects of a process: told apart, walked into, and who holds them. */
export default function HeapPage(props: PageProps) {
  const { inputs, run, state } = props;
  const { heap, by, at, other, rows } = state;
  const show = shownOf(inputs, state);
  const fetched = useResource<HeapView>(`run/${run.id}/heap`, {
    ...{ heap, by, at, other, rows },
    show: show === 'partition' ? null : show,
  });
  return (
    <Awaited what="heap" fetched={fetched}>
      {(view) => <Shown {...props} view={view} error={fetched.error} loading={fetched.loading} />}
    </Awaited>
  );
}

interface ShownProps extends PageProps {
  readonly view: HeapView;
  readonly error: string | null;
  readonly loading: boolean;
}

function Shown({ view, error, loading, ...props }: ShownProps) {
  const { table, paths, holders, difference, about, runtime } = view;
  const what = runtime === 'python' ? 'Python' : 'V8';
  const rss = about.rss === undefined ? '' : ` of ${formatBytes(about.rss)} resident`;
  return (
    <div class="heap-page" aria-busy={loading}>
      {difference && <SinceHead verdict={difference.verdict} containers={difference.containers} />}
      <p class={difference ? 'muted' : 'headline'} data-test="heap-headline">
        {`${count(view.count, 'object')} of ${what} take ${formatBytes(view.size)}${rss}`}
        {about.version ? ` (${about.version})` : ''}.
      </p>
      {about.warnings.map((warning) => (
        <p key={warning} class="muted">
          {warning}
        </p>
      ))}
      {!difference && <AccountList view={view} />}
      <HeapControls {...props} view={view} />
      <Crumbs {...props} view={view} />
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {table && <PartitionTable {...props} table={table} />}
      {paths && <PathList paths={paths} />}
      {holders && <HolderTable holders={holders} />}
      {difference && <HeapDifference {...props} view={view} difference={difference} />}
    </div>
  );
}
