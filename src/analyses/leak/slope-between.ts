import { SECOND_NS } from '../../base/time.ts';
import type { Series } from '../../model/series.ts';
import { theilSenSlope } from './block-trend.ts';

/** A slope of more values is as good by some of them. */
const MOST_VALUES = 200;

/** In bytes for each second; 0 where there are not two values. */
export function slopeBetween({ times, values }: Series, fromNs: number, toNs: number): number {
  const within = [...times.keys()].filter((row) => times[row]! >= fromNs && times[row]! <= toNs);
  const each = Math.ceil(within.length / MOST_VALUES);
  const some = within.filter((_, i) => i % each === 0);
  if (some.length < 2) return 0;
  const x = Float64Array.from(some, (row) => (times[row]! - fromNs) / SECOND_NS);
  return theilSenSlope({ x, y: Float64Array.from(some, (row) => values[row]!) });
}
