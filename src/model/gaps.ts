import type { Series } from './series.ts';

/** How many neighbours a pause is held against. */
const NEIGHBOURS = 16;

/**
 * Puts a NaN into every pause that stands out among its neighbours and would be seen in a chart:
 * a straight line there would claim that memory was known. Folded stretches have wide steps
 * throughout, so that none of them stands out.
 */
export function withGaps({ name, times, values }: Series): Series {
  const last = times.length - 1;
  const visible = last > 0 ? (times[last]! - times[0]!) / 200 : 0;
  const step = (i: number) => times[i + 1]! - times[i]!;
  const breaks: number[] = [];
  for (let i = 0; i < last; i++) {
    if (step(i) <= visible) continue;
    let usual = 0;
    for (let j = Math.max(0, i - NEIGHBOURS); j < Math.min(last, i + NEIGHBOURS + 1); j++) {
      if (j !== i && step(j) > usual) usual = step(j);
    }
    if (usual > 0 && step(i) > 5 * usual) breaks.push(i + 1);
  }
  if (breaks.length === 0) return { name, times, values };
  const wideTimes = new Float64Array(times.length + breaks.length);
  const wideValues = new Float64Array(wideTimes.length);
  let from = 0;
  for (const [n, at] of [...breaks, times.length].entries()) {
    wideTimes.set(times.subarray(from, at), from + n);
    wideValues.set(values.subarray(from, at), from + n);
    if (at < times.length) {
      wideTimes[at + n] = (times[at - 1]! + times[at]!) / 2;
      wideValues[at + n] = Number.NaN;
    }
    from = at;
  }
  return { name, times: wideTimes, values: wideValues };
}
