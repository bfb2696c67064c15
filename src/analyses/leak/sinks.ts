import type { Series } from '../../model/series.ts';

/** As a share of all growth: a fall that shows that something was collected. */
const FALL_SHARE = 0.2;

/** Whether it fell clearly in both halves of the time: whatever collects came, and it grew all the same. */
export function sinks(
  { times, values }: Series,
  fromNs: number,
  toNs: number,
  growth: number,
): boolean {
  const middle = (fromNs + toNs) / 2;
  return [
    [fromNs, middle],
    [middle, toNs],
  ].every(([from, to]) => {
    let top = Number.NEGATIVE_INFINITY;
    return values.some((value, i) => {
      if (times[i]! < from! || times[i]! > to!) return false;
      top = Math.max(top, value);
      return top - value >= FALL_SHARE * growth;
    });
  });
}
