import { median } from '../../base/stats.ts';
import { blockMinima, riseOf, roughness } from './blocks.ts';
import { mostGrowth } from './bound.ts';
import { curveOf } from './curve.ts';
import { growthFloor } from './floor.ts';
import { scatter } from './scatter.ts';
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

/** What a program does at its start is no trend. */
const WARM_UP = 0.05;
/** Standard error of the difference of two quarters' medians, in noise of single blocks. */
const GAIN_ERROR = 0.72;
/** Chance on each side of the interval that finds leaks, and of those that clear of them. */
const FINDING = 0.025;
const CLEARING = 0.001;
const CLEARING_TAIL = 0.002;

export function evidence({ x, y, over }: Values): Evidence {
  const from = Math.ceil(y.length * WARM_UP);
  const late = y.subarray(from);
  const lateX = x.subarray(from);
  const blocks = blockMinima(lateX, late);
  const count = blocks.y.length;
  const span = count > 1 ? blocks.x[count - 1]! - blocks.x[0]! : 0;
  const slope = slopeOf(blocks.x, blocks.y);
  const curve = curveOf(blocks.y);
  const growth = riseOf(blocks, slope);
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

/** The second half, judged on blocks of its own. */
function tailMost(x: Float64Array, y: Float64Array): number {
  const half = Math.floor(y.length / 2);
  return mostGrowth(x.subarray(half), y.subarray(half), CLEARING_TAIL);
}
