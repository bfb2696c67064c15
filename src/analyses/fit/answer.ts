import { coordinateAt } from './coordinates.ts';
import type { Forecast, Forecasts } from './forecast.ts';
import type { Stop } from './largest.ts';
import type { Estimate } from './mixture.ts';
import { blind, isInside, REACH, tooFar } from './reach.ts';
import type { Sample } from './sample.ts';

/**
 * `yes`, `no`: the whole interval lies on one side; `after-release`: what is in use fits, with the cache
 * it does not; `unsure`: the limit lies inside the interval; `unknown`: the data do not tell.
 */
export type Verdict = 'yes' | 'no' | 'after-release' | 'unsure' | 'unknown';

export interface Answer {
  readonly at: Readonly<Record<string, number>>;
  /** Parameters that nobody named: their largest measured value was taken. */
  readonly assumed: readonly string[];
  readonly verdict: Verdict;
  /** null where the data do not tell. */
  readonly needed: Estimate | null;
  /** Without what a cache holds; null where that is not known apart. */
  readonly live: Estimate | null;
  /** Where this very combination was run: its mean peak. */
  readonly measuredBytes: number | null;
  /** Why the data do not tell, or what settles it; null where the figures speak for themselves. */
  readonly reason: string | null;
}

export interface Judge {
  readonly usable: number;
  readonly forecasts: Forecasts & { readonly held: Forecast };
}

/** Why nothing can be said about a place; null where something can. */
function whyUnknown(
  { forecasts: { coordinates, held } }: Judge,
  at: readonly number[],
): string | null {
  const far = tooFar(coordinates, at);
  if (far) return far;
  if (!isInside(coordinates, at)) {
    const none = blind(held.model);
    if (none) return none;
  }
  const ratio = held.at(at).bytes / held.model.rows.top;
  if (ratio <= REACH) return null;
  return `it would take ${ratio.toFixed(1)} times the largest peak that was measured; up to ${REACH} times can be judged`;
}

/** A peak that was measured comes again within this. */
const AGAIN = 0.01;

/** What keeps a combination from being called fitting. More never needs less, so runs speak for others too. */
export function stopAt(one: Judge, at: readonly number[]): Stop | null {
  const { usable, forecasts } = one;
  const { coordinates, held, failed } = forecasts;
  const here = coordinateAt(coordinates, at);
  const there = (run: Sample) => coordinateAt(coordinates, run.at);
  const larger = (run: Sample) => there(run).every((value, i) => value >= here[i]!);
  const smaller = (run: Sample) => there(run).every((value, i) => value <= here[i]!);
  if (held.samples.some((run) => larger(run) && run.bytes * (1 + AGAIN) <= usable)) return null;
  if (failed.some((run) => smaller(run) && run.bytes >= usable)) return 'memory';
  if (whyUnknown(one, at)) return 'reach';
  return held.at(at).highBytes > usable ? 'memory' : null;
}

export function judge(
  one: Judge,
  at: readonly number[],
): Pick<Answer, 'verdict' | 'needed' | 'live' | 'measuredBytes' | 'reason'> {
  const { usable, forecasts } = one;
  const { held, live, failed } = forecasts;
  const same = (place: readonly number[]) => place.every((value, i) => value === at[i]);
  const seen = held.samples.filter((sample) => same(sample.at)).map(({ bytes }) => bytes);
  const gaveUp = failed.filter((run) => same(run.at)).map(({ bytes }) => bytes);
  const unknown = seen.length > 0 ? null : whyUnknown(one, at);
  const measuredBytes =
    seen.length > 0 ? seen.reduce((sum, bytes) => sum + bytes, 0) / seen.length : null;
  if (gaveUp.length > 0 && Math.max(...gaveUp) >= usable) {
    return {
      verdict: 'no',
      needed: null,
      live: null,
      measuredBytes,
      reason: 'a run with it ended for lack of memory, having reached more',
    };
  }
  if (unknown)
    return { verdict: 'unknown', needed: null, live: null, measuredBytes, reason: unknown };
  const expected = held.at(at);
  const needed: Estimate =
    measuredBytes === null
      ? { ...expected, lowBytes: Math.max(expected.lowBytes, ...gaveUp) }
      : {
          bytes: measuredBytes,
          lowBytes: Math.min(...seen) * (1 - AGAIN),
          highBytes: Math.max(...seen) * (1 + AGAIN),
        };
  const used = live?.at(at) ?? null;
  return {
    verdict: verdictOf(needed, used, usable),
    needed,
    live: used,
    measuredBytes,
    reason: null,
  };
}

function verdictOf(needed: Estimate, live: Estimate | null, usable: number): Verdict {
  if (needed.highBytes <= usable) return 'yes';
  if (live && live.highBytes <= usable && needed.bytes > usable) return 'after-release';
  return needed.lowBytes > usable ? 'no' : 'unsure';
}
