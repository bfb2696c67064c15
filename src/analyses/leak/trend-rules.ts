import { FEWEST_BLOCKS } from './block-trend.ts';
import type { TrendEvidence } from './trend-evidence.ts';

export type LeakVerdict = 'leak' | 'plateau' | 'bounded' | 'inconclusive';

/** A verdict, the rule that gave it, and why in plain words. */
export interface TrendDecision {
  readonly verdict: LeakVerdict;
  readonly rule: string;
  readonly because: string;
}

/**
 * Whether growth may be a program that loads what it needs: it `may`; it will `hardly`, as no process of it grows; it `computes`, reads nothing
 * and never waits, which may be one computation that keeps what it makes; it `cannot`, as nothing came in from outside, and it waits again and again; it `works`, as it tells iterations.
 */
export type Loading = 'may' | 'hardly' | 'computes' | 'cannot' | 'works';

/** What else is known of the time in which it was judged. */
export interface Growing {
  readonly loading: Loading;
  readonly seconds: number;
}

interface TrendRule {
  readonly name: string;
  /** null: this rule does not apply. */
  decide(evidence: TrendEvidence, growing: Growing): Omit<TrendDecision, 'rule'> | null;
}

/** A curve that levels off falls in the end, if only a little, and bends downwards significantly. */
const END_SHARE = -0.1;
const NOT_FADING = 0.05;
/** One step explains a leak at most this much better than a straight line does … */
const STEP_SHARE = 3;
/** … and a leak stands still in no quarter: each gains this share of the average, within so many standard errors. */
const EACH_SHARE = 0.2;
const GAIN_ERRORS = 2;
/**
 * Without iterations nothing tells loading from working: libraries, weights and data come in evenly
 * for a minute, and large ones for several. Until then growth, or growth by much, is no leak.
 */
const SHORTEST_SECONDS = 8;
const LOADING_SECONDS = 60;
const LARGE_LOADING_SECONDS = 600;
const LARGE_SHARE = 0.5;
const LOADED_SHARE = 0.25;
/** A program that reads nothing may still set up tables at its start; it has begun its work by then. */
const SET_UP_SECONDS = 20;

const decision = (verdict: LeakVerdict, because: string) => ({ verdict, because });

/** In order; the first that decides wins. */
const RULES: readonly TrendRule[] = [
  {
    name: 'enough values',
    decide: ({ count, judged, over }) =>
      judged / 2 >= FEWEST_BLOCKS
        ? null
        : decision(
            'inconclusive',
            over === 'iterations'
              ? `${count} marked iterations are too few`
              : 'the run is too short to tell a trend',
          ),
  },
  {
    name: 'steady growth',
    decide: (e, growing) => {
      if (!(e.growthLow > 0 && e.growth > ESTIMATE_SHARE * e.floor && growsInEveryQuarter(e)))
        return null;
      if (e.slopeMost < e.slopeLow) return null;
      return (
        maybeLoading(e, growing) ??
        decision('leak', 'it grows steadily, beyond what noise and warm-up explain')
      );
    },
  },
  {
    name: 'flat at the end',
    decide: (e) => {
      const rise = e.lastLevel - e.firstLevel;
      return rise > margin(e) && e.tailMost < Math.min(margin(e), TAIL_SHARE * rise)
        ? decision('plateau', 'it grew at first and was flat in the second half')
        : null;
    },
  },
  {
    name: 'no growth',
    decide: (e) =>
      e.growthMost < margin(e) && e.tailMost < MOST_TAIL * e.floor
        ? decision('bounded', 'whatever growth there may be is negligible')
        : null,
  },
  {
    // What leaks goes on to the end: the second half alone is as good a proof as the whole, held to half of the margin.
    name: 'settled',
    decide: (e) =>
      e.tailMost < HALF * margin(e)
        ? decision('plateau', 'it settled early: whatever growth there may be since is negligible')
        : null,
  },
  {
    name: 'not shown',
    decide: (e) =>
      e.growthLow > 0
        ? decision('inconclusive', 'it grew, but too little or too unevenly to call it a leak')
        : decision('inconclusive', 'a slow leak could hide in the noise'),
  },
];

/** As a share of the smallest growth that counts: what a verdict of "no leak" may overlook, at least and at most. */
export const LEAST_MARGIN = 0.08;
const MOST_MARGIN = 0.25;
/** Of half the values less is known, but growth that only began there must show. */
const MOST_TAIL = 0.5;
/** In between, as a share of the noise: a leak as large as that is not overlooked. */
const NOISE_SHARE = 0.5;
/** A leak that goes on has half of its growth in the second half … */
const HALF = 0.5;
/** … and a plateau surely less than this. */
const TAIL_SHARE = 0.3;
/** Estimates scatter: to find growth that counts, the estimate may be somewhat below that. */
export const ESTIMATE_SHARE = 0.65;

/** Whether there is anything to tell a trend by. */
export const enoughValues = ({ values }: { readonly values: number }): boolean =>
  values / 2 >= FEWEST_BLOCKS;

export function judgeTrend(
  evidence: TrendEvidence,
  growing: Growing = {
    loading: evidence.over === 'iterations' ? 'works' : 'may',
    seconds: evidence.span,
  },
): TrendDecision {
  for (const rule of RULES) {
    const made = rule.decide(evidence, growing);
    if (made) return { ...made, rule: rule.name };
  }
  throw new Error('the last rule always decides');
}

/** No single step, no curve that levels off. */
function growsInEveryQuarter({
  gains,
  gainError,
  endShare,
  notFading,
  stepShare,
}: TrendEvidence): boolean {
  const average = (gains[0] + gains[1] + gains[2]) / 3;
  const levelsOff = endShare < END_SHARE && notFading < NOT_FADING;
  return (
    !levelsOff &&
    stepShare < STEP_SHARE &&
    gains.every((gain) => gain > EACH_SHARE * average - GAIN_ERRORS * gainError)
  );
}

function maybeLoading({ firstLevel, lastLevel }: TrendEvidence, { loading, seconds }: Growing) {
  if (loading === 'works' || (loading === 'cannot' && seconds >= SET_UP_SECONDS)) return null;
  if (seconds < LARGE_LOADING_SECONDS && loading === 'computes') {
    return decision(
      'inconclusive',
      'it grew all the time without reading anything or waiting for anything: it leaks, or it is one computation that keeps what it makes',
    );
  }
  if (seconds < (loading === 'hardly' ? SHORTEST_SECONDS : LOADING_SECONDS)) {
    return decision('inconclusive', 'it grew all the time, but not for long: it may be loading');
  }
  const isLong = loading === 'hardly' || seconds >= LARGE_LOADING_SECONDS;
  return firstLevel < (isLong ? LOADED_SHARE : LARGE_SHARE) * lastLevel
    ? decision('inconclusive', 'it grew from nearly nothing, as a program does that is loading')
    : null;
}

/** Growth that may be overlooked: half of the noise, within those shares of the smallest growth that counts. */
function margin({ noise, floor }: TrendEvidence): number {
  return Math.min(Math.max(NOISE_SHARE * noise, LEAST_MARGIN * floor), MOST_MARGIN * floor);
}
