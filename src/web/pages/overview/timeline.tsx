import type { Panels } from '../../../analyses/panels/panel.ts';
import type { Report } from '../../../analyses/report.ts';
import { defaultSeries } from '../../../analyses/timeline.ts';
import type { InputInfo } from '../../../model/inputs-info.ts';
import { address, hrefOf, openPage, setState } from '../../address.ts';
import { rangeIn } from '../../hands/range.ts';
import { Awaited } from '../../parts/waiting.tsx';
import { useWidth } from '../../parts/width.ts';
import { PanelsView } from '../../timeline/panels-view.tsx';
import type { PanelsData } from '../../timeline/use-panels.ts';

/** What is left of the first screen beside the words. */
const heightOfAll = () => Math.max(180, Math.min(520, innerHeight - 550));
const MOST = 2;

/** The one or two curves that the answer is about; a stretch that is selected opens the whole timeline there. */
export function OverviewTimeline(props: { run: InputInfo; report: Report; timeline: PanelsData }) {
  const { run, report } = props;
  const [place, width] = useWidth<HTMLDivElement>(300);
  const { base, panels } = props.timeline;
  if (!run.resources.includes('timeline')) return null;
  return (
    <div class="overview-timeline" ref={place}>
      <Awaited what="timeline" fetched={base}>
        {() => {
          const chosen = panels && chosenPanels(panels, report);
          return chosen ? (
            <PanelsView
              run={run}
              panels={chosen}
              range={rangeIn(address.value.state)}
              width={width}
              panelHeight={Math.floor(heightOfAll() / chosen.panels.length) - 10}
              name={run.name}
              onRange={(range, how) => setState({ from: range?.[0], to: range?.[1] }, how)}
              onSelect={([from, to]) => openPage('timeline', { from, to })}
              onPick={(at) => {
                openPage('timeline', { a: at });
                return undefined;
              }}
            />
          ) : null;
        }}
      </Awaited>
      {base.value !== null && (
        <a class="overview-more" href={hrefOf('timeline')}>
          All curves
        </a>
      )}
    </div>
  );
}

/** Panels of the series that `highwater plot` would draw, or of the device that holds most. */
export function chosenPanels(panels: Panels, report: Report): Panels {
  const wanted = new Set(
    defaultSeries(report).map((name) => name.replace(/^cgroup\./, 'tree.').split('.')[0]!),
  );
  const traces = panels.panels
    .filter(({ id }) => id.startsWith('trace'))
    .sort((a, b) => b.highest - a.highest)
    .slice(0, 1);
  const others = panels.panels.filter(({ id }) => wanted.has(id));
  const chosen = [...traces, ...others].slice(0, MOST);
  return { ...panels, panels: chosen.length > 0 ? chosen : panels.panels.slice(0, MOST) };
}
