import { KiB } from '../../base/bytes.ts';
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
import type { BoundedValues } from './bounded-values.ts';

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

/** Means are known well enough to be taken of shorter blocks; of still shorter ones where those do not wander. */
const MOST_MEANS = 48;
const FINE_MEANS = 96;
/** They wander where what each has of the one before makes the interval so many times wider than that of independent noise. */
const WANDERS = 2;

/**
 * What is leaked is there at all times: it lifts the smallest values of blocks, their means, their medians and their
 * largest alike. Each is noisy in a way of its own (a collector's teeth, workers that start anew, buffers that come
 * and go), so the closest of the bounds counts. A collector that runs ever more often keeps means and peaks down: the
 * smallest values must not be seen to grow either.
 */
export function growthBound(
  { x, y, peaks, means }: BoundedValues,
  minima: BlockSeries,
  { tail, independentErrors, notNegative }: BoundLevel,
): GrowthBound {
  const count = minima.y.length;
  const growth = (rise: number) => (notNegative ? Math.max(0, rise) : rise);
  const fitted = (blocks: BlockSeries, fit = autocorrelatedFit(blocks.y)) =>
    growth(riseOf(blocks, theilSenSlope(blocks))) + fit.halfWidth(tail);
  const meansOf = (blocks: number) =>
    blockMeans(x, means, Math.max(count, Math.min(blocks, Math.floor(y.length / 2))));
  const slope = theilSenSlope(minima);
  const rise = growth(riseOf(minima, slope));
  // A saw-tooth in step with the blocks leaves no noise in them, but may well hide growth.
  const independent = (scatter: number) =>
    rise + independentErrors * scatter * Math.sqrt(12 / y.length);
  const scatter = scatterAboutLine(x, y, slope);
  const byValues = Math.min(
    fitted(minima),
    ...[fitted(blockMaxima(x, peaks, count)), mostlyFlatBound(x, y, count, scatter)].map((bound) =>
      Math.max(bound, rise),
    ),
  );
  const fine = meansOf(FINE_MEANS);
  const fineFit = autocorrelatedFit(fine.y);
  const byMeans = fineFit.inflation < WANDERS ? fitted(fine, fineFit) : fitted(meansOf(MOST_MEANS));
  return {
    most: Math.min(
      Math.max(byValues, independent(scatter)),
      Math.max(byMeans, independent(scatterAboutLine(x, means, slope))),
      sameAgainAndAgain(y),
    ),
    rise,
    span: minima.x[count - 1]! - minima.x[0]!,
  };
}

/** Of many sizes the lowest but for this share of them … */
const LOW_SHARE = 0.1;
/** … is one to which a program comes back where this share of each quarter is within so much of it: it stays there, and does not pass by … */
const SAME_SHARE = 0.15;
const SAME_BYTES = 64 * KiB;
const FEWEST_SAME = 12;
/** … the last time in the last part: what leaks late would have lifted all of that. */
const LAST_PART = 1 / 12;
/** It may be at the beginning of that part. */
const SAME_TIMES = 2;

/**
 * A program that does the same over and over comes back to the same size, to the page, whatever it takes in between: the teeth
 * of a collector begin there. What leaks would lift that size; no noise falls just as fast, to the page, from quarter to quarter.
 */
function sameAgainAndAgain(y: Float64Array): number {
  const size = y.slice().sort()[Math.floor(LOW_SHARE * y.length)] ?? Number.NaN;
  const isSame = (value: number) => Math.abs(value - size) <= SAME_BYTES;
  const part = (from: number, to: number) =>
    y.subarray(Math.floor(from * y.length), Math.floor(to * y.length));
  const stays = (of: Float64Array) => of.filter(isSame).length >= SAME_SHARE * of.length;
  const same = y.filter(isSame);
  const comesBack =
    same.length >= FEWEST_SAME &&
    [0, 1, 2, 3].every((q) => stays(part(q / 4, (q + 1) / 4))) &&
    part(1 - LAST_PART, 1).some(isSame);
  if (!comesBack) return Number.POSITIVE_INFINITY;
  const [least, most] = [
    same.reduce((a, b) => Math.min(a, b)),
    same.reduce((a, b) => Math.max(a, b)),
  ];
  return SAME_TIMES * (most - least);
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
