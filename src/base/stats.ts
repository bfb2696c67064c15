/** NaN where it cannot be told; JSON has null in its place. */
export type NumberOrNaN = number;

/** The q-quantile of values that are sorted ascending; NaN when there are none. */
export function quantileSorted(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const position = (sorted.length - 1) * q;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  return below + (above - below) * (position - Math.floor(position));
}

/** The median of finite values, in any order; NaN when there are none. */
export function median(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
  return quantileSorted(sorted, 0.5);
}

/** Student's t, two-sided 95 %, for 1 … 10 degrees of freedom. */
const T95 = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/** Student's t, two-sided 95 %; between two whole degrees of freedom, the wider of the lower one. */
export const student95 = (freedom: number): number =>
  T95[Math.max(1, Math.floor(freedom)) - 1] ?? 1.96 + 2.4 / freedom + 3 / freedom ** 2;
