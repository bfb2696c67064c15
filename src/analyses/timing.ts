import { SECOND_NS } from '../base/time.ts';
import { firstMark, type Origin, origin, SAMPLED } from '../model/origin.ts';
import { processorShare } from '../model/processor-share.ts';
import type { Recording } from '../model/recording.ts';

/** When things happened, in seconds from the workload's start; negative before it. */
export interface Timing {
  readonly type: 'timing';
  /** The moment that `seconds` counts from. */
  readonly origin: Origin['is'];
  readonly originNs: number;
  /** From the workload's start to its end; to the last sample where the end was not seen. */
  readonly durationSeconds: number;
  /** null: no mark says when the workload ended. */
  readonly workloadEndSeconds: number | null;
  /** The first and the last sample; null in a recording without samples. */
  readonly sampled: { readonly first: number; readonly last: number } | null;
  /** How many processors the process tree used on average; absent where that was not recorded. */
  readonly cores?: number;
}

export function timing(recording: Recording): Timing {
  const zero = origin(recording);
  const end = firstMark(recording, 'end');
  const spans = SAMPLED.map((name) => recording.table(name))
    .filter((table) => table.rows > 0)
    .map((table) => table.f64('time'));
  const seconds = (ns: number) => (ns - zero.ns) / SECOND_NS;
  const sampled =
    spans.length === 0
      ? null
      : {
          first: seconds(Math.min(...spans.map((times) => times[0]!))),
          last: seconds(Math.max(...spans.map((times) => times[times.length - 1]!))),
        };
  const share = processorShare(recording);
  const workloadEnd = end === null ? null : seconds(end);
  return {
    type: 'timing',
    origin: zero.is,
    originNs: zero.ns,
    durationSeconds: Math.max(0, workloadEnd ?? sampled?.last ?? 0),
    workloadEndSeconds: workloadEnd,
    sampled,
    ...(share && { cores: share.cores }),
  };
}
