import { FEWEST_BLOCKS } from './blocks.ts';
import type { Evidence } from './evidence.ts';

export type Verdict = 'leak' | 'plateau' | 'bounded' | 'inconclusive';

/** What a rule says, and why in plain words. */
export interface Decision {
  readonly verdict: Verdict;
  readonly rule: string;
  readonly because: string;
}

interface Rule {
  readonly name: string;
  /** null: this rule has nothing to say. */
  decide(evidence: Evidence, mayLoad: boolean): Omit<Decision, 'rule'> | null;
}

/** A curve that levels off falls in the end, if only a little, and surely bends downwards. */
const END_SHARE = -0.1;
const NOT_FADING = 0.05;
/** One step explains a leak at most this much better than a straight line does … */
const STEP_SHARE = 3;
/** … and a leak stands still in no quarter: each gains this share of the average, within doubt. */
const EACH_SHARE = 0.2;
const DOUBT = 2;
/**
 * Without iterations nothing tells loading from working: libraries, weights and data come in evenly
 * for a minute, and large ones for several. Until then growth, or growth by much, is no leak.
 */
const SHORTEST_SECONDS = 8;
const LOADING_SECONDS = 60;
const LARGE_LOADING_SECONDS = 600;
const LARGE_SHARE = 0.5;
const LOADED_SHARE = 0.25;

const say = (verdict: Verdict, because: string) => ({ verdict, because });

/** In order; the first that decides wins. */
const RULES: readonly Rule[] = [
  {
    name: 'enough values',
    decide: ({ count, judged, over }) =>
      judged / 2 >= FEWEST_BLOCKS
        ? null
        : say(
            'inconclusive',
            over === 'iterations'
              ? `${count} iterations are too few`
              : 'the run is too short to tell a trend',
          ),
  },
  {
    name: 'steady growth',
    decide: (e, mayLoad) => {
      if (!(e.growthLow > 0 && e.growth > SURE_SHARE * e.floor && spread(e))) return null;
      return (
        loading(e, mayLoad) ??
        say('leak', 'it grows steadily, beyond what noise and warm-up explain')
      );
    },
  },
  {
    name: 'flat at the end',
    decide: (e) => {
      const rise = e.lastLevel - e.firstLevel;
      return rise > margin(e) && e.tailMost < Math.min(margin(e), TAIL_SHARE * rise)
        ? say('plateau', 'it grew at first and was flat in the second half')
        : null;
    },
  },
  {
    name: 'no growth',
    decide: (e) =>
      e.growthMost < margin(e) && e.tailMost < MOST_MARGIN * e.floor
        ? say('bounded', 'whatever growth there may be is negligible')
        : null,
  },
  {
    name: 'not shown',
    decide: (e) =>
      e.growthLow > 0
        ? say('inconclusive', 'it grew, but too little or too unevenly to call it a leak')
        : say('inconclusive', 'a slow leak could hide in the noise'),
  },
];

/** As a share of the floor: what a verdict of "no leak" may overlook, at least and at most. */
const LEAST_MARGIN = 0.08;
const MOST_MARGIN = 0.25;
/** In between, as a share of the noise: a leak as large as that is not overlooked. */
const NOISE_SHARE = 0.5;
/** A leak that goes on has half of its growth in the second half; a plateau surely less than this. */
const TAIL_SHARE = 0.3;
/** Estimates scatter: to find what is above the floor, the estimate may be somewhat below it. */
const SURE_SHARE = 0.65;

/** `mayLoad`: whether growth may be a program that loads what it needs. */
export function decide(evidence: Evidence, mayLoad = true): Decision {
  for (const rule of RULES) {
    const said = rule.decide(evidence, mayLoad);
    if (said) return { ...said, rule: rule.name };
  }
  throw new Error('the last rule always decides');
}

/** Gains in every quarter, and not fewer and fewer: no step, no curve that levels off. */
function spread({ gains, gainError, endShare, notFading, stepShare }: Evidence): boolean {
  const average = (gains[0] + gains[1] + gains[2]) / 3;
  const levelsOff = endShare < END_SHARE && notFading < NOT_FADING;
  return (
    !levelsOff &&
    stepShare < STEP_SHARE &&
    gains.every((gain) => gain > EACH_SHARE * average - DOUBT * gainError)
  );
}

function loading({ over, span, firstLevel, lastLevel }: Evidence, mayLoad: boolean) {
  if (over === 'iterations') return null;
  if (span < (mayLoad ? LOADING_SECONDS : SHORTEST_SECONDS)) {
    return say('inconclusive', 'it grew all the time, but not for long: it may be loading');
  }
  const share = mayLoad && span < LARGE_LOADING_SECONDS ? LARGE_SHARE : LOADED_SHARE;
  return firstLevel < share * lastLevel
    ? say('inconclusive', 'it grew from nearly nothing, as a program does that is loading')
    : null;
}

/** Growth that may be overlooked: half of the noise, within those shares of the floor. */
function margin({ noise, floor }: Evidence): number {
  return Math.min(Math.max(NOISE_SHARE * noise, LEAST_MARGIN * floor), MOST_MARGIN * floor);
}
