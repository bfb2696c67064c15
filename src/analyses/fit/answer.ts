import { toCoordinates } from './coordinates.ts';
import type { Sample } from './design-matrix.ts';
import { isInside, MOST_EXTRAPOLATION, tooFar, whyNoExtrapolation } from './extrapolation.ts';
import type { Forecast, Forecasts } from './forecast.ts';
import type { Stop } from './largest-that-fits.ts';
import { REPEATABILITY } from './monotone-bounds.ts';
import type { Estimate } from './student-mixture.ts';

/**
 * `yes`, `no`: the whole interval lies on one side; `after-release`: what is in use fits, with the cache
 * it does not; `unsure`: the limit lies inside the interval; `unknown`: the data do not tell.
 */
export type FitVerdict = 'yes' | 'no' | 'after-release' | 'unsure' | 'unknown';

export interface FitAnswer {
  readonly at: Readonly<Record<string, number>>;
  /** Parameters that the question did not name: their largest measured value was taken. */
  readonly assumed: readonly string[];
  /** Parameters that are larger than any that was measured (smaller, where more needs less). */
  readonly beyond: readonly string[];
  readonly verdict: FitVerdict;
  /** null where the data do not tell. */
  readonly needed: Estimate | null;
  /** Without what a cache holds; null where that is not known apart. */
  readonly live: Estimate | null;
  /** Where this very combination was run: its mean peak. */
  readonly measuredBytes: number | null;
  /** Why the data do not tell, or what decides it; null where the figures do. */
  readonly reason: string | null;
}

export interface FitContext {
  readonly usable: number;
  readonly forecasts: Forecasts & { readonly held: Forecast };
}

/** Why nothing can be said about a combination; null where something can. */
function whyUnknown(
  { forecasts: { coordinates, held } }: FitContext,
  at: readonly number[],
): string | null {
  const far = tooFar(coordinates, at);
  if (far) return far;
  if (!isInside(coordinates, at)) {
    const why = whyNoExtrapolation(held.model);
    if (why) return why;
  }
  const ratio = held.at(at).bytes / held.model.design.largestBytes;
  if (ratio <= MOST_EXTRAPOLATION) return null;
  return `it would take ${ratio.toFixed(1)} times the largest peak that was measured; up to ${MOST_EXTRAPOLATION} times can be judged`;
}

/** What keeps a combination from being called fitting. More never needs less, so runs also bound smaller and larger ones. */
export function stopAt(context: FitContext, at: readonly number[]): Stop | null {
  const { usable, forecasts } = context;
  const { coordinates, held, failed } = forecasts;
  const here = toCoordinates(coordinates, at);
  const there = (run: Sample) => toCoordinates(coordinates, run.at);
  const larger = (run: Sample) => there(run).every((value, i) => value >= here[i]!);
  const smaller = (run: Sample) => there(run).every((value, i) => value <= here[i]!);
  if (held.samples.some((run) => larger(run) && run.bytes * (1 + REPEATABILITY) <= usable))
    return null;
  if (failed.some((run) => smaller(run) && run.bytes >= usable)) return 'memory';
  if (whyUnknown(context, at)) return 'reach';
  return held.at(at).highBytes > usable ? 'memory' : null;
}

export function answerAt(
  context: FitContext,
  at: readonly number[],
): Pick<FitAnswer, 'verdict' | 'needed' | 'live' | 'measuredBytes' | 'reason'> {
  const { usable, forecasts } = context;
  const { held, live, failed } = forecasts;
  const same = (point: readonly number[]) => point.every((value, i) => value === at[i]);
  const seen = held.samples.filter((sample) => same(sample.at)).map(({ bytes }) => bytes);
  const reachedByFailed = failed.filter((run) => same(run.at)).map(({ bytes }) => bytes);
  const unknown = seen.length > 0 ? null : whyUnknown(context, at);
  const measuredBytes =
    seen.length > 0 ? seen.reduce((sum, bytes) => sum + bytes, 0) / seen.length : null;
  if (reachedByFailed.length > 0 && Math.max(...reachedByFailed) >= usable) {
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
  const needed = held.at(at);
  const used = live?.at(at) ?? null;
  return {
    verdict: verdictOf(needed, used, usable),
    needed,
    live: used,
    measuredBytes,
    reason: null,
  };
}

function verdictOf(needed: Estimate, live: Estimate | null, usable: number): FitVerdict {
  if (needed.highBytes <= usable) return 'yes';
  if (live && live.highBytes <= usable && needed.bytes > usable) return 'after-release';
  return needed.lowBytes > usable ? 'no' : 'unsure';
}
