import type { Coordinate } from './coordinates.ts';
import type { Sample } from './design-matrix.ts';
import { type Bounds, monotoneBounds, REPEATABILITY } from './monotone-bounds.ts';
import type { Estimate } from './student-mixture.ts';

/** What a curve says; `isInside`: below a size that was measured. */
export type Curve = (at: readonly number[], isInside: boolean) => Estimate;

/** A curve as far as the runs allow it: what was measured is so, and other runs bound the rest. */
export function withinRuns(
  coordinates: readonly Coordinate[],
  samples: readonly Sample[],
  failed: readonly Sample[],
  scatter?: number,
): (curve: Curve) => (at: readonly number[]) => Estimate {
  const boundsAt = monotoneBounds(coordinates, samples, failed, scatter);
  return (curve) =>
    lastKept((at) => {
      const bounds = boundsAt(at);
      const isInside = Number.isFinite(bounds.highBytes);
      return measuredAt(samples, at, bounds) ?? between(curve(at, isInside), bounds);
    });
}

/** The figures of a chain ask one another for the same combination, one after the other. */
function lastKept(tell: (at: readonly number[]) => Estimate): (at: readonly number[]) => Estimate {
  let last: { readonly at: string; readonly estimate: Estimate } | null = null;
  return (at) => {
    const here = String(at);
    if (last?.at !== here) last = { at: here, estimate: tell(at) };
    return last.estimate;
  };
}

/** A combination that was run needs what it needed; null where it was not. */
function measuredAt(
  samples: readonly Sample[],
  at: readonly number[],
  { lowBytes }: Bounds,
): Estimate | null {
  const seen = samples
    .filter((sample) => sample.at.every((value, i) => value === at[i]))
    .map(({ bytes }) => bytes);
  if (seen.length === 0) return null;
  const bytes = seen.reduce((sum, value) => sum + value, 0) / seen.length;
  return {
    bytes,
    lowBytes: Math.min(bytes, Math.max(lowBytes, Math.min(...seen) * (1 - REPEATABILITY))),
    highBytes: Math.max(...seen) * (1 + REPEATABILITY),
  };
}

/** A curve below a smaller run is too low all along. */
function between({ bytes, lowBytes, highBytes }: Estimate, bounds: Bounds): Estimate {
  const low = Math.max(lowBytes, bounds.lowBytes);
  const middle = Math.max(bytes, low);
  const high = Math.min(
    Math.max(highBytes + middle - bytes, low, bounds.flatBytes),
    bounds.highBytes,
  );
  return { bytes: Math.min(middle, high), lowBytes: Math.min(low, high), highBytes: high };
}
