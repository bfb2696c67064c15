import '../tables.css';
import type { Comparison } from '../../../analyses/compare/index.ts';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import type { PageProps } from '../page.ts';
import { ComparisonHead } from './comparison-head.tsx';
import { CompareControls } from './controls.tsx';
import { DifferenceTable } from './difference-table.tsx';
import { FitView } from './fit-view.tsx';
import { OverlayPlot, useOverlay } from './overlay-plot.tsx';
import { RunTable } from './run-table.tsx';
import { ProfileTables, SectionTables } from './section-tables.tsx';
import { type FittedSweep, SweepHead } from './sweep.tsx';
import { TraceComparison } from './traces/index.tsx';

/** Several runs over each other, and what one takes more than another; of a sweep also what would fit. */
export default function ComparePage(props: PageProps) {
  const { resources } = props.inputs;
  const { fit, at, inuse, series, against } = props.state;
  const isSweep = resources.includes('sweep');
  const question = { fit, at: fit && at, 'in-use': fit && inuse };
  const sweep = useResource<FittedSweep>(isSweep ? 'job/sweep' : null, question);
  const several = resources.includes('compare');
  const compared = useResource<Comparison>(several ? 'job/compare' : null, { series, against });
  return (
    <div class="compare-page">
      {isSweep && (
        <Awaited what="sweep" fetched={sweep}>
          {(result) => <SweepHead {...props} sweep={result} />}
        </Awaited>
      )}
      {several && (
        <Awaited what="comparison" fetched={compared}>
          {(comparison) => (
            <SideBySide
              {...props}
              comparison={comparison}
              error={compared.error}
              isSweep={isSweep}
            />
          )}
        </Awaited>
      )}
      {sweep.value && (
        <FitView {...props} fit={sweep.error ? null : sweep.value.fit} error={sweep.error} />
      )}
      {compared.value && <Tables {...props} comparison={compared.value} />}
    </div>
  );
}

interface ComparedProps extends PageProps {
  readonly comparison: Comparison;
}

function SideBySide(props: ComparedProps & { error: string | null; isSweep: boolean }) {
  const { comparison, error, isSweep } = props;
  const { runs, allocations, liveStacks } = comparison;
  return (
    <>
      {!isSweep && <ComparisonHead comparison={comparison} />}
      {error && <p class="error">{error}</p>}
      {runs.length > 0 && <SampledRuns {...props} />}
      {allocations && <TraceComparison {...props} allocations={allocations} />}
      <ProfileTables {...props} />
      {runs.length === 0 && !allocations && liveStacks.length === 0 && (
        <p class="muted">
          None of the inputs tells how much memory there was over time. Give two recordings, two
          logs, two memory snapshots of PyTorch, or two heap profiles.
        </p>
      )}
    </>
  );
}

/** Runs that were sampled: their curves over each other. */
function SampledRuns(props: ComparedProps & { isSweep: boolean }) {
  const overlay = useOverlay(props.state);
  return (
    <>
      <CompareControls {...props} overlay={overlay} />
      <OverlayPlot {...props} overlay={overlay} natural={props.isSweep} />
    </>
  );
}

function Tables(props: ComparedProps) {
  return (
    <>
      <RunTable {...props} />
      <DifferenceTable {...props} />
      <SectionTables {...props} />
    </>
  );
}
