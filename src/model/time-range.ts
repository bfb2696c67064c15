import { SECOND_NS } from '../base/time.ts';
import type { Series } from './series.ts';

/** From when to when, in seconds, both included; Infinity where there is no end. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** The samples of a series within a range; `zero` is second 0, in ns. */
export function withinRange(series: Series, zero: number, range: TimeRange | undefined): Series {
  if (!range) return series;
  const { times, values } = series;
  const inside = (ns: number) => ns >= zero + range.from * SECOND_NS;
  const [start, end] = [
    times.findIndex(inside),
    times.findLastIndex((ns) => ns <= zero + range.to * SECOND_NS) + 1,
  ];
  if (start < 0 || end <= start) {
    return { ...series, times: times.subarray(0, 0), values: values.subarray(0, 0) };
  }
  return { ...series, times: times.subarray(start, end), values: values.subarray(start, end) };
}
