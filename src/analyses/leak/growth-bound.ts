import { autocorrelatedFit } from './autocorrelated-fit.ts';
import {
  type BlockSeries,
  blockMaxima,
  blockMeans,
  blockMedians,
  riseOf,
  scatterAboutLine,
  senUpperSlope,
  theilSenSlope,
  typicalStep,
} from './block-trend.ts';

/** Values with what was largest about each: since the value before, or within the same stretch of time. */
export interface BoundedValues {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly peaks: Float64Array;
}

export interface GrowthBound {
  /** It grows by no more than this over all of the values. */
  readonly most: number;
  /** What their smallest were seen to grow by. */
  readonly rise: number;
  /** From the first block's middle to the last one's. */
  readonly span: number;
}

/** How sure a bound is to be. */
export interface BoundLevel {
  /** The chance on each side of each of the intervals below. */
  readonly tail: number;
  /** No bound is closer than if all values were independent: so many standard errors of a line through them. */
  readonly independentErrors: number;
  /** Shrinkage counts as none: noise that wandered downwards may have hidden growth. */
  readonly notNegative: boolean;
}

/** Means are known well enough to be taken of shorter blocks. */
const MOST_MEANS = 48;

/**
 * What is leaked is there at all times: it lifts the smallest values of blocks, their means, their medians and their
 * largest alike. Each is noisy in a way of its own (a collector's teeth, workers that start anew, buffers that come
 * and go), so the closest of the bounds counts. A collector that runs ever more often keeps means and peaks down: the
 * smallest values must not be seen to grow either.
 */
export function growthBound(
  { x, y, peaks }: BoundedValues,
  minima: BlockSeries,
  { tail, independentErrors, notNegative }: BoundLevel,
): GrowthBound {
  const count = minima.y.length;
  const shorter = Math.max(count, Math.min(MOST_MEANS, Math.floor(y.length / 2)));
  const growth = (rise: number) => (notNegative ? Math.max(0, rise) : rise);
  const fitted = (blocks: BlockSeries) =>
    growth(riseOf(blocks, theilSenSlope(blocks))) + autocorrelatedFit(blocks.y).halfWidth(tail);
  const slope = theilSenSlope(minima);
  const rise = growth(riseOf(minima, slope));
  const scatter = scatterAboutLine(x, y, slope);
  const most = Math.min(
    fitted(minima),
    ...[
      fitted(blockMeans(x, y, shorter)),
      fitted(blockMaxima(x, peaks, count)),
      mostlyFlatBound(x, y, count, scatter),
    ].map((bound) => Math.max(bound, rise)),
  );
  // A saw-tooth in step with the blocks leaves no noise in them, but may well hide growth.
  const independent = independentErrors * scatter * Math.sqrt(12 / y.length);
  return {
    most: Math.max(most, rise + independent),
    rise,
    span: minima.x[count - 1]! - minima.x[0]!,
  };
}

/** Of Kendall's S, on either side of zero: less than one in a thousand. */
const SEN_DEVIATIONS = 3.3;
/** Where the values scatter, so many standard deviations. */
const SCATTERS = 4;

/**
 * Most programs keep one size to the byte but for moments: a worker that is started anew, a buffer that comes and goes.
 * Such moments are no noise about a line, and make every interval of least squares wide; medians and ranks pass over
 * them. Values that do move all the time may wander: that counts in full, as if they were a random walk.
 */
function mostlyFlatBound(
  x: Float64Array,
  y: Float64Array,
  blocks: number,
  scatter: number,
): number {
  const medians = blockMedians(x, y, blocks);
  const upper = riseOf(medians, senUpperSlope(medians, SEN_DEVIATIONS));
  const walk = typicalStep(y) * Math.sqrt(y.length);
  return Math.max(0, upper) + SCATTERS * scatter + walk;
}
