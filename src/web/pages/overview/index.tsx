import type { Report } from '../../../analyses/report.ts';
import { stopWarning } from '../../../analyses/trust.ts';
import { sentenceSoFar } from '../../../analyses/verdict/report-sentence.ts';
import { answer } from '../../../views/report/answer.ts';
import { reportDoors } from '../../../views/report/doors.ts';
import { reportAccounts } from '../../../views/report/page.ts';
import { rangeIn } from '../../hands/range.ts';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import { usePanels } from '../../timeline/use-panels.ts';
import type { PageProps } from '../page.ts';
import { AccountBars } from './account-bars.tsx';
import './overview.css';
import '../tables.css';
import { DoorView } from './door-view.tsx';
import { FactTiles } from './fact-tiles.tsx';
import { ProvenanceLine } from './provenance.tsx';
import { SectionLinks } from './section-links.tsx';
import { OverviewTimeline } from './timeline.tsx';
import { VerdictView } from './verdict-view.tsx';
import { Warnings } from './warnings.tsx';

/** The answer at first glance: what happened, how much, why, what to do; each figure a door to what stands behind it. */
export default function Overview({ inputs, run, state }: PageProps) {
  const report = useResource<Report>(`run/${run.id}/report`);
  const timeline = usePanels(
    run.resources.includes('timeline') ? run.id : null,
    undefined,
    rangeIn(state),
  );
  const tree = timeline.panels?.panels.find(({ id }) => id === 'tree')?.stack?.bands;
  const order = (tree ?? []).map(({ key }) => key);
  // No end yet, or one that has not come here yet: nobody was killed.
  const stale = run.live || report.loading || report.error !== null;
  const soFar = stale && report.value?.trust.complete === false;
  return (
    <Awaited what="report" fetched={report}>
      {(result) => {
        const doors = reportDoors(result);
        const door = doors.find(({ id }) => id === state.show);
        return (
          <div class="overview">
            <h1 class="headline" elementtiming="headline">
              {(soFar ? sentenceSoFar : answer)(result).slice(0, 1200)}
            </h1>
            <ProvenanceLine report={result} />
            {!soFar && <VerdictView report={result} />}
            <FactTiles
              report={result}
              marks={timeline.panels?.marks ?? []}
              live={soFar}
              doors={doors}
              open={door?.id}
            />
            {door ? (
              <DoorView door={door} run={run} report={result} timeline={timeline} />
            ) : (
              <>
                <OverviewTimeline run={run} report={result} timeline={timeline} />
                <div class="overview-foot">
                  <AccountBars accounts={reportAccounts(result)} order={order} />
                  <Warnings
                    warnings={result.warnings.filter(
                      (text) => !(soFar && text === stopText(result)),
                    )}
                    leftOut={inputs.leftOut ?? []}
                    live={run.live}
                  />
                </div>
              </>
            )}
            <SectionLinks doors={doors} open={door?.id} />
          </div>
        );
      }}
    </Awaited>
  );
}

const stopText = ({ trust: { stopped } }: Report) => stopped && stopWarning(stopped);
