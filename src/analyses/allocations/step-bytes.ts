import { ACTION } from '../../model/allocations/actions.ts';
import type { TraceSurvey } from './evidence/survey.ts';

/** Bytes of each step, found in one pass over the events. */
export interface StepBytes {
  /** When a step begins: what outlived all before it. */
  readonly startRequested: Float64Array;
  readonly startReserved: Float64Array;
  readonly peakRequested: Float64Array;
  /** After the last event of a step. */
  readonly endRequested: Float64Array;
  readonly endReserved: Float64Array;
}

export function stepBytes({ trace, steps, bytes }: TraceSurvey): StepBytes {
  const column = () => new Float64Array(steps.count);
  const found = {
    startRequested: column(),
    startReserved: column(),
    peakRequested: column(),
    endRequested: column(),
    endReserved: column(),
  };
  const { actions, sizes, events } = trace;
  let [requested, reserved] = [bytes.startRequested, bytes.startReserved];
  let event = 0;
  const advance = (to: number) => {
    let [now, peak] = [requested, requested];
    for (; event < to; event++) {
      const action = actions[event]!;
      if (action === ACTION.alloc) now += sizes[event]!;
      else if (action === ACTION.free_completed) now -= sizes[event]!;
      else if (action === ACTION.segment_alloc || action === ACTION.segment_map) {
        reserved += sizes[event]!;
      } else if (action === ACTION.segment_free || action === ACTION.segment_unmap) {
        reserved -= sizes[event]!;
      }
      if (now > peak) peak = now;
    }
    requested = now;
    return peak;
  };
  for (let step = 0; step < steps.count; step++) {
    advance(Math.min(steps.start[step]!, events));
    found.startRequested[step] = requested;
    found.startReserved[step] = reserved;
    found.peakRequested[step] = advance(Math.min(steps.end[step]!, events));
    found.endRequested[step] = requested;
    found.endReserved[step] = reserved;
  }
  return found;
}
