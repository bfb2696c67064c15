import { median, type NumberOrNaN } from '../../base/stats.ts';
import type { TraceSurvey } from './evidence/survey.ts';
import type { StepBytes } from './step-bytes.ts';

/** The steps of the run, as found in the trace. */
export interface StepFacts {
  readonly count: number;
  /** What ends a step: an optimizer step, a backward pass, a forward pass (inference). */
  readonly endedBy: 'optimizer' | 'backward' | 'forward' | null;
  readonly foundBy: 'call stacks' | 'annotations and lifetimes' | 'lifetimes' | null;
  readonly optimizers: readonly string[];
  readonly medianPeakRequestedBytes: number | null;
  readonly medianSeconds: number | null;
  /** The first of them, in their order. */
  readonly first: readonly {
    readonly startEvent: number;
    readonly endEvent: number;
    readonly seconds: number | null;
    readonly peakRequestedBytes: number;
    readonly endRequestedBytes: number;
    readonly endReservedBytes: NumberOrNaN;
  }[];
}

const MOST = 100;

export function stepFacts({ steps, phases, trace }: TraceSurvey, levels: StepBytes): StepFacts {
  // Until the next begins: between its last event and that one a step may wait for the device, or for data.
  const seconds = (step: number) => {
    const last = Math.min(steps.end[step]!, trace.events - 1);
    const span = (trace.times[last]! - trace.times[steps.start[step]!]!) / 1e9;
    return Number.isFinite(span) ? span : null;
  };
  const spans = Array.from(steps.start, (_, step) => seconds(step)).filter(
    (span): span is number => span !== null,
  );
  return {
    count: steps.count,
    endedBy: steps.by === 'none' ? null : steps.by,
    foundBy: phases.source === 'none' || steps.count === 0 ? null : phases.source,
    optimizers: phases.optimizers,
    medianPeakRequestedBytes: steps.count > 0 ? median(levels.peakRequested) : null,
    medianSeconds: spans.length > 0 ? median(spans) : null,
    first: Array.from(steps.start.subarray(0, MOST), (startEvent, step) => ({
      startEvent,
      endEvent: steps.end[step]!,
      seconds: seconds(step),
      peakRequestedBytes: levels.peakRequested[step]!,
      endRequestedBytes: levels.endRequested[step]!,
      endReservedBytes: levels.endReserved[step]!,
    })),
  };
}
