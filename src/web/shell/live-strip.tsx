import type { Live } from '../../analyses/live.ts';
import type { InputInfo } from '../../model/inputs-info.ts';
import { liveFigures } from '../../views/report/live.ts';
import { useResource } from '../parts/resource.ts';

/** How a run stands that is still recorded, on every page. */
export function LiveStrip({ run }: { run: InputInfo }) {
  const asks = run.live && run.resources.includes('live');
  const { value } = useResource<Live>(asks ? `run/${run.id}/live` : null);
  if (!asks || !value) return null;
  return (
    <dl class="live-strip" aria-label="So far">
      {liveFigures(value).map(({ id, label, value: figure, detail, tone }) => (
        <div key={id} class={tone} data-figure={id} title={detail.slice(0, 500)}>
          <dt>{label}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}
