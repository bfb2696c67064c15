import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { type V8Memory, v8Memory } from '../../model/v8-memory.ts';
import { blockMinima, FEWEST_BLOCKS, riseOf, theilSenSlope } from './block-trend.ts';
import { type BoundedValues, singleValues } from './bounded-values.ts';
import { secondHalf, slopeBound } from './slope-bound.ts';
import type { TrendBound } from './trend-bound.ts';
import type { TrendDecision } from './trend-rules.ts';

/** By how much what V8 has grew, garbage and all: as it was seen to, and at most. In bytes over the judged time. */
interface V8Rise {
  readonly rise: number;
  readonly most: number;
}

/**
 * V8 has room in what it took from the system: what is leaked there does not show in the size of the process. All that V8 holds is among what it has, so the
 * least of that, from time to time, grows by as much as leaks there.
 */
export function v8Rise(recording: Recording, fromNs: number, toNs: number): V8Rise | null {
  const threads = v8Memory(recording)
    .map((thread) => riseOfThread(thread, fromNs, toNs))
    .filter((one) => one !== null);
  if (threads.length === 0) return null;
  const sum = (of: (one: V8Rise) => number) => threads.reduce((all, one) => all + of(one), 0);
  return { rise: sum(({ rise }) => rise), most: sum(({ most }) => most) };
}

function riseOfThread({ readings }: V8Memory, fromNs: number, toNs: number): V8Rise | null {
  const within = readings.filter(({ ns }) => ns >= fromNs && ns <= toNs);
  const x = Float64Array.from(within, ({ ns }) => (ns - fromNs) / SECOND_NS);
  const y = Float64Array.from(within, ({ heap, external }) => heap + external);
  if (y.length < 2 * FEWEST_BLOCKS) return null;
  const values = singleValues(x, y);
  const bound = slopeBound(values);
  const seconds = (toNs - fromNs) / SECOND_NS;
  return {
    // What leaks goes on to the end: what V8 took as it warmed up is none of it.
    rise: Math.max(0, Math.min(leastRise(values), 2 * leastRise(secondHalf(values)))),
    most: bound ? Math.max(0, bound.most * seconds) : 0,
  };
}

/** By how much the least grew that V8 had from time to time. */
function leastRise({ x, y }: BoundedValues): number {
  const minima = blockMinima(x, y);
  return riseOf(minima, theilSenSlope(minima));
}

/** The room that V8 has hides what fills it: where that grows by what counts, the size of the process clears nothing. */
export function unlessV8Fills(
  decision: TrendDecision,
  v8: V8Rise | null,
  floor: number,
): TrendDecision {
  const cleared = decision.verdict === 'plateau' || decision.verdict === 'bounded';
  return cleared && v8 && v8.rise > floor ? FILLS : decision;
}

const FILLS: TrendDecision = {
  verdict: 'inconclusive',
  rule: 'V8 has more',
  because:
    'the process does not grow, but what V8 has in use of its memory does: it may be garbage, or a leak that fills what V8 had taken before',
};

/** What is not cleared leaks at most as fast as V8 may fill the room that it has, or as the process may grow. */
export function atLeastInV8(bound: TrendBound | null, v8: V8Rise | null): TrendBound | null {
  if (!bound || !v8 || !(v8.most > bound.growthBytes)) return bound;
  const times = v8.most / bound.growthBytes;
  return {
    ...bound,
    most: bound.most * times,
    error: bound.error + bound.most * (times - 1),
    growthBytes: v8.most,
  };
}
