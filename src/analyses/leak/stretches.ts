import { firstFrom, lastUpTo } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Series } from '../../model/series.ts';
import type { BoundedValues } from './bounded-values.ts';

/** A value each quarter of a second; no more than this many in all. */
const STEP_NS = 0.25 * SECOND_NS;
const MOST_VALUES = 2000;

/** The smallest, the largest and the mean of each short stretch of time between two moments; `x`: seconds since the first of them. */
export function stretches({ times, values }: Series, fromNs: number, toNs: number): BoundedValues {
  const step = Math.max(STEP_NS, (toNs - fromNs) / MOST_VALUES);
  const x: number[] = [];
  const y: number[] = [];
  const peaks: number[] = [];
  const sums: number[] = [];
  const counts: number[] = [];
  let stretch = -1;
  const end = lastUpTo(times, toNs);
  for (let row = firstFrom(times, fromNs); row <= end; row++) {
    const at = Math.floor((times[row]! - fromNs) / step);
    if (at !== stretch) {
      stretch = at;
      x.push(((at + 0.5) * step) / SECOND_NS);
      y.push(values[row]!);
      peaks.push(values[row]!);
      sums.push(values[row]!);
      counts.push(1);
    } else {
      y[y.length - 1] = Math.min(y.at(-1)!, values[row]!);
      peaks[peaks.length - 1] = Math.max(peaks.at(-1)!, values[row]!);
      sums[sums.length - 1]! += values[row]!;
      counts[counts.length - 1]!++;
    }
  }
  return {
    x: Float64Array.from(x),
    y: Float64Array.from(y),
    peaks: Float64Array.from(peaks),
    means: Float64Array.from(sums, (sum, i) => sum / counts[i]!),
  };
}
