import { median } from '../../base/stats.ts';
import { curveOf } from './curve.ts';
import { growthFloor } from './floor.ts';
import { slopeOf } from './slope.ts';
import { stepShare } from './step.ts';

/** Values to judge: one for each iteration, or one for each short stretch of time. */
export interface Values {
  /** Iterations or seconds, ascending. */
  readonly x: Float64Array;
  /** Bytes. */
  readonly y: Float64Array;
  readonly over: 'iterations' | 'time';
}

/** What the rules look at. All amounts are bytes over the judged stretch. */
export interface Evidence {
  readonly over: Values['over'];
  /** Values in all, and those that are left without the warm-up. */
  readonly count: number;
  readonly judged: number;
  readonly span: number;
  readonly level: number;
  readonly firstLevel: number;
  readonly lastLevel: number;
  /** Per iteration or second, with a 95 % interval that allows for noise that remembers. */
  readonly slope: number;
  readonly slopeLow: number;
  readonly slopeHigh: number;
  readonly growth: number;
  readonly growthLow: number;
  /** The most that it can have grown or shrunk, very nearly for sure. */
  readonly growthMost: number;
  /** Growth that matters in practice. */
  readonly floor: number;
  /** Standard deviation of single values about the trend. */
  readonly noise: number;
  /** Gains from quarter to quarter, and how far chance moves one of them. */
  readonly gains: readonly [number, number, number];
  readonly gainError: number;
  /** The slope at the end as a share of that at the start, and how likely it is that it does not fade. */
  readonly endShare: number;
  readonly notFading: number;
  /** How much worse a straight line explains the values than one step does: below 1, better. */
  readonly stepShare: number;
  /** The most that the second half can have grown or shrunk, very nearly for sure. */
  readonly tailMost: number;
}

const BLOCKS = 24;
const MEANS = 48;
const SAW_SHARE = 0.4;
/** What a program does at its start is no trend. */
const WARM_UP = 0.05;
/** Standard error of the difference of two quarters' medians, in noise of single blocks. */
const GAIN_ERROR = 0.72;
/** Fewer blocks leave too little to tell a trend from noise by. */
export const FEWEST_BLOCKS = 12;
/** Half a run has half of them; with eight there is still an interval, a wide one. */
const FEWEST_TAIL_BLOCKS = 8;
/** Chance on each side of the interval that finds leaks, and of those that clear of them. */
const FINDING = 0.025;
const CLEARING = 0.001;
const CLEARING_TAIL = 0.002;
/** No bound is closer than if all values were independent: so many standard errors of a line through them. */
const INDEPENDENT = 3.3;

export function evidence({ x, y, over }: Values): Evidence {
  const from = Math.ceil(y.length * WARM_UP);
  const late = y.subarray(from);
  const lateX = x.subarray(from);
  const blocks = blockMinima(lateX, late);
  const count = blocks.y.length;
  const span = count > 1 ? blocks.x[count - 1]! - blocks.x[0]! : 0;
  const slope = slopeOf(blocks.x, blocks.y);
  const curve = curveOf(blocks.y);
  const growth = slope * span;
  const doubt = curve.doubt(FINDING);
  const level = median(late);
  const quarters = [0, 1, 2, 3].map((q) =>
    median(blocks.y.subarray(Math.floor((q * count) / 4), Math.floor(((q + 1) * count) / 4))),
  );
  return {
    over,
    count: y.length,
    judged: late.length,
    span,
    level,
    firstLevel: quarters[0]!,
    lastLevel: quarters[3]!,
    slope,
    slopeLow: (growth - doubt) / span,
    slopeHigh: (growth + doubt) / span,
    growth,
    growthLow: growth - doubt,
    // Takes as long as all the rest; a leak is found without them.
    get growthMost() {
      return mostGrowth(lateX, late, CLEARING);
    },
    get tailMost() {
      return tailMost(lateX, late);
    },
    floor: growthFloor(y.length, level),
    noise: scatter(lateX, late, slope),
    gains: [quarters[1]! - quarters[0]!, quarters[2]! - quarters[1]!, quarters[3]! - quarters[2]!],
    get gainError() {
      return curve.stretch * GAIN_ERROR * roughness(blocks.y);
    },
    endShare: curve.endShare,
    notFading: curve.notFading,
    stepShare: stepShare(blocks.y),
  };
}

/**
 * As many blocks as there are values for, but half as many where that takes most of the noise away:
 * a saw-tooth slower than a block leaves its teeth in the minima.
 */
function blockMinima(x: Float64Array, y: Float64Array): Blocks {
  const count = Math.min(BLOCKS, Math.floor(y.length / 2));
  const fine = minima(x, y, count);
  if (count < 2 * FEWEST_BLOCKS) return fine;
  const coarse = minima(x, y, count / 2);
  return roughness(coarse.y) < SAW_SHARE * roughness(fine.y) ? coarse : fine;
}

/** The smallest value of each block: what is still held when everything else was let go. */
function minima(x: Float64Array, y: Float64Array, count: number): Blocks {
  return inBlocks(x, y, count, (block) =>
    block.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
  );
}

function means(x: Float64Array, y: Float64Array, count: number): Blocks {
  return inBlocks(
    x,
    y,
    count,
    (block) => block.reduce((sum, value) => sum + value, 0) / block.length,
  );
}

interface Blocks {
  /** The middle of each. */
  readonly x: Float64Array;
  readonly y: Float64Array;
}

function inBlocks(
  x: Float64Array,
  y: Float64Array,
  count: number,
  value: (block: Float64Array) => number,
): Blocks {
  const at = new Float64Array(count);
  const values = new Float64Array(count);
  for (let block = 0; block < count; block++) {
    const from = Math.floor((block * y.length) / count);
    const to = Math.floor(((block + 1) * y.length) / count);
    values[block] = value(y.subarray(from, to));
    at[block] = (x[from]! + x[to - 1]!) / 2;
  }
  return { x: at, y: values };
}

/** Robust standard deviation about the line. */
function scatter(x: Float64Array, y: Float64Array, slope: number): number {
  const left = y.map((value, i) => value - slope * x[i]!);
  const middle = median(left);
  return 1.4826 * median(left.map((value) => Math.abs(value - middle)));
}

/** Noise from block to block, by second differences: a smooth curve has next to none. */
function roughness(y: Float64Array): number {
  const bends: number[] = [];
  for (let i = 1; i + 1 < y.length; i++) bends.push(Math.abs(y[i - 1]! - 2 * y[i]! + y[i + 1]!));
  return (1.4826 * median(bends)) / Math.sqrt(6);
}

/** The second half, judged on blocks of its own. */
function tailMost(x: Float64Array, y: Float64Array): number {
  const half = Math.floor(y.length / 2);
  return mostGrowth(x.subarray(half), y.subarray(half), CLEARING_TAIL);
}

/**
 * The most that it can have grown or shrunk, but for that chance. What is leaked is there at all
 * times: it lifts the smallest values of blocks and their averages alike. Averages of many values
 * are known far better, and so is how much their noise remembers, as there can be more of them; the
 * smaller of both bounds counts. A collector that runs ever more often keeps averages down, so the
 * smallest values must not be seen to grow either.
 */
function mostGrowth(x: Float64Array, y: Float64Array, chance: number): number {
  const least = blockMinima(x, y);
  const count = least.y.length;
  if (count < FEWEST_TAIL_BLOCKS) return Number.POSITIVE_INFINITY;
  const average = means(x, y, Math.max(count, Math.min(MEANS, Math.floor(y.length / 2))));
  const [ofLeast, ofMeans] = [least, average].map((blocks) => {
    const slope = slopeOf(blocks.x, blocks.y);
    const growth = Math.abs(slope * (blocks.x[blocks.x.length - 1]! - blocks.x[0]!));
    return { slope, growth, most: growth + curveOf(blocks.y).doubt(chance / 2) };
  });
  const most = Math.min(ofLeast!.most, Math.max(ofMeans!.most, ofLeast!.growth));
  // A saw-tooth in step with the blocks leaves no noise in them, but may well hide growth.
  const independent = INDEPENDENT * scatter(x, y, ofLeast!.slope) * Math.sqrt(12 / y.length);
  return Math.max(most, ofLeast!.growth + independent);
}
