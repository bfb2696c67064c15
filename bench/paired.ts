import { student95 } from '../src/base/stats.ts';

/** Measured one right after the other, both alike but for what is asked. */
export type Pairs = readonly (readonly [number, number])[];

/** A ratio with its 95 % interval. */
export interface Estimate {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** Of each end of the sorted pairs, what does not count: a neighbour that came or went within a pair. */
const TRIM = 0.2;

/**
 * The ratio of the first to the second of pairs that were measured one right after the other: the
 * trimmed mean of their logarithms, with the interval by Yuen (winsorized variance, Student's t).
 */
export function pairedRatio(pairs: Pairs): Estimate {
  const logs = Float64Array.from(pairs, ([a, b]) => Math.log(a / b)).sort();
  const cut = Math.floor(TRIM * logs.length);
  const kept = logs.subarray(cut, logs.length - cut);
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const winsorized = logs.map((value) => Math.min(kept.at(-1)!, Math.max(kept[0]!, value)));
  const share = kept.length / logs.length;
  const error = deviation(winsorized) / (share * Math.sqrt(logs.length));
  const reach = student95(kept.length - 1) * error;
  return { ratio: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}

/** Of all pairs together, none left out. */
export function totalRatio(pairs: Pairs): number {
  const sum = (side: 0 | 1) => pairs.reduce((total, pair) => total + pair[side], 0);
  return sum(0) / sum(1);
}

function deviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
