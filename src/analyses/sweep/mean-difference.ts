import { student95 } from '../../base/stats.ts';

/** How much more the mean of one set of repeats is than another's, and whether that means anything. */
export interface MeanDifference {
  readonly bytes: number;
  /** A 95 % interval of it; null with fewer than two repeats on a side. */
  readonly lowBytes: number | null;
  readonly highBytes: number | null;
  /** No larger than differences between repeats of the same; null: not known. */
  readonly withinNoise: boolean | null;
}

/**
 * Welch's interval, as the two may scatter differently. A table invites to compare every pair, so
 * where the repeats themselves overlap, nothing is called different either.
 */
export function meanDifference(a: readonly number[], b: readonly number[]): MeanDifference {
  const bytes = mean(b) - mean(a);
  if (a.length < 2 || b.length < 2) {
    return { bytes, lowBytes: null, highBytes: null, withinNoise: null };
  }
  const [ea, eb] = [variance(a) / a.length, variance(b) / b.length];
  const freedom = (ea + eb) ** 2 / (ea ** 2 / (a.length - 1) + eb ** 2 / (b.length - 1));
  const half = ea + eb === 0 ? 0 : student95(freedom) * Math.sqrt(ea + eb);
  const [lowBytes, highBytes] = [bytes - half, bytes + half];
  const overlap = Math.max(...a) >= Math.min(...b) && Math.max(...b) >= Math.min(...a);
  return { bytes, lowBytes, highBytes, withinNoise: overlap || (lowBytes <= 0 && highBytes >= 0) };
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function variance(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}
