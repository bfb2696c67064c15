import { MiB } from '../../base/bytes.ts';
import { median } from '../../base/stats.ts';
import { autocorrelatedFit } from './autocorrelated-fit.ts';
import { blockMinima, riseOf, roughness, scatterAboutLine, theilSenSlope } from './block-trend.ts';
import { type BoundedValues, valuesFrom } from './bounded-values.ts';
import { growthBound } from './growth-bound.ts';
import { secondHalf, slopeBound } from './slope-bound.ts';

/** Values to judge: one for each iteration, or one for each short stretch of time. */
export interface TrendValues extends BoundedValues {
  readonly over: 'iterations' | 'time';
}

/** The statistics that the rules look at. All amounts are bytes over the judged values. */
export interface TrendEvidence {
  readonly over: TrendValues['over'];
  /** Values in all, and those that are left without the warm-up. */
  readonly count: number;
  readonly judged: number;
  readonly span: number;
  readonly level: number;
  readonly firstLevel: number;
  readonly lastLevel: number;
  /** Per iteration or second, with a 95 % interval that allows for autocorrelated noise. */
  readonly slope: number;
  readonly slopeLow: number;
  readonly slopeHigh: number;
  /** What it grows by at most, by all of it or by its second half. */
  readonly slopeMost: number;
  readonly growth: number;
  readonly growthLow: number;
  /** Upper bound of what it can have grown or shrunk by, at more than 99.5 % confidence. */
  readonly growthMost: number;
  /** The smallest growth that counts. */
  readonly floor: number;
  /** Standard deviation of single values about the trend. */
  readonly noise: number;
  /** Gains from quarter to quarter, and the standard error of one of them. */
  readonly gains: readonly [number, number, number];
  readonly gainError: number;
  /** The slope at the end as a share of that at the start, and how likely it is that it does not fade. */
  readonly endShare: number;
  readonly notFading: number;
  /** Squares that a straight line leaves unexplained, as a share of those that one step leaves. */
  readonly stepShare: number;
  /** `growthMost` of the second half alone. */
  readonly tailMost: number;
}

/** What a program does at its start is no trend. */
const WARM_UP = 0.05;
/** Standard error of the difference of two quarters' medians, in noise of single blocks. */
const GAIN_ERROR = 0.72;
/** Tail on each side of the interval that finds leaks, and of those that show that there is none. */
const FINDING_TAIL = 0.025;
const CLEARING_CHANCE = 0.001;

export function trendEvidence(values: TrendValues): TrendEvidence {
  const { y, over } = values;
  const judged = valuesFrom(values, Math.ceil(y.length * WARM_UP));
  const { x: lateX, y: late } = judged;
  const blocks = blockMinima(lateX, late);
  const count = blocks.y.length;
  const span = count > 1 ? blocks.x[count - 1]! - blocks.x[0]! : 0;
  const slope = theilSenSlope(blocks);
  const fit = autocorrelatedFit(blocks.y);
  const growth = riseOf(blocks, slope);
  const halfWidth = fit.halfWidth(FINDING_TAIL);
  const level = median(late);
  const quarters = [0, 1, 2, 3].map((q) =>
    median(blocks.y.subarray(Math.floor((q * count) / 4), Math.floor(((q + 1) * count) / 4))),
  );
  // These take as long as all the rest; a leak is found without them.
  const [slopeMost, growthMost, tailMost] = [
    once(() => slopeBound(judged)?.most ?? Number.POSITIVE_INFINITY),
    once(() => mostGrowth(judged)),
    once(() => mostGrowth(secondHalf(judged))),
  ];
  return {
    over,
    count: y.length,
    judged: late.length,
    span,
    level,
    firstLevel: quarters[0]!,
    lastLevel: quarters[3]!,
    slope,
    slopeLow: (growth - halfWidth) / span,
    slopeHigh: (growth + halfWidth) / span,
    growth,
    growthLow: growth - halfWidth,
    get slopeMost() {
      return slopeMost();
    },
    get growthMost() {
      return growthMost();
    },
    get tailMost() {
      return tailMost();
    },
    floor: smallestGrowthThatCounts(y.length, level),
    noise: scatterAboutLine(lateX, late, slope),
    gains: [quarters[1]! - quarters[0]!, quarters[2]! - quarters[1]!, quarters[3]! - quarters[2]!],
    get gainError() {
      return fit.inflation * GAIN_ERROR * roughness(blocks.y);
    },
    endShare: fit.endShare,
    notFading: fit.notFading,
    stepShare: stepShare(blocks.y),
  };
}

function once(make: () => number): () => number {
  let made: number | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * It falls with the number of values: 0.75 % of the level for a thousand of them (a server's 50 MB in
 * a day), 3 % for sixty (an allocator's noise in a short run is no leak).
 */
export function smallestGrowthThatCounts(values: number, level: number): number {
  const scarcity = Math.sqrt(1000 / Math.max(1, values));
  return Math.max(MiB * Math.max(1, scarcity), level * Math.max(0.0025, 0.0075 * scarcity));
}

/** Half a run has half of the blocks; with six there is still an interval, a wide one. */
const FEWEST_BOUNDED = 6;
const INDEPENDENT_ERRORS = 3.3;

/** Upper bound of the growth, sure enough to say by it that there is none. */
export function mostGrowth(values: BoundedValues): number {
  const minima = blockMinima(values.x, values.y);
  if (minima.y.length < FEWEST_BOUNDED) return Number.POSITIVE_INFINITY;
  return growthBound(values, minima, {
    tail: CLEARING_CHANCE / BOUNDS,
    independentErrors: INDEPENDENT_ERRORS,
    notNegative: true,
  }).most;
}

/** The closest of so many counts. */
const BOUNDS = 4;

/** A step leaves least unexplained of a step, a line of anything that goes on and on. */
function stepShare(y: ArrayLike<number>): number {
  const n = y.length;
  const sums = new Float64Array(n + 1);
  const squares = new Float64Array(n + 1);
  let [dot, norm] = [0, 0];
  for (let i = 0; i < n; i++) {
    const value = y[i]! - y[0]!;
    const u = i - (n - 1) / 2;
    sums[i + 1] = sums[i]! + value;
    squares[i + 1] = squares[i]! + value * value;
    dot += u * value;
    norm += u * u;
  }
  const squaresAboutMean = (from: number, to: number) =>
    squares[to]! - squares[from]! - (sums[to]! - sums[from]!) ** 2 / (to - from);
  let step = Number.POSITIVE_INFINITY;
  for (let at = 1; at < n; at++) {
    step = Math.min(step, squaresAboutMean(0, at) + squaresAboutMean(at, n));
  }
  const line = Math.max(0, squaresAboutMean(0, n) - (dot * dot) / norm);
  return line === 0 ? 0 : line / Math.max(step, 1e-12 * squares[n]!);
}
