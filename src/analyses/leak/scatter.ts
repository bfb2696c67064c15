import { median } from '../../base/stats.ts';

/** Robust standard deviation about the line. */
export function scatter(x: Float64Array, y: Float64Array, slope: number): number {
  const left = y.map((value, i) => value - slope * x[i]!);
  const middle = median(left);
  return 1.4826 * median(left.map((value) => Math.abs(value - middle)));
}
