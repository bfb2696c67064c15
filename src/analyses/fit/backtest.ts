import { candidate } from './candidate.ts';
import type { Estimate } from './mixture.ts';
import { type Knowledge, type PeakModel, peakModel, predict } from './peak-model.ts';
import { countPlaces, rowsOf, type Sample } from './sample.ts';

/** A measured peak, predicted by what is smaller. */
export interface Backtest extends Estimate {
  readonly at: readonly number[];
  readonly measuredBytes: number;
}

/** Peaks within so much of each other are of one size, whatever the parameters. */
const SAME_SIZE = 0.03;
/** The largest sizes are held back one, two and three at a time, while enough is left. */
const MOST_LEVELS = 3;
const LEAST_PLACES = 3;

/** How well the largest samples are predicted by the smaller ones: the one test of reaching further. */
function backtests(
  samples: readonly Sample[],
  whole: PeakModel,
  { shares }: Knowledge,
): Backtest[][] {
  const sorted = [...samples].sort((a, b) => a.bytes - b.bytes);
  const found: Backtest[][] = [];
  let rest = sorted;
  for (let level = 1; level <= MOST_LEVELS; level++) {
    const edge = rest.at(-1)!.bytes * (1 - SAME_SIZE);
    const held = rest.filter(({ bytes }) => bytes >= edge);
    rest = rest.filter(({ bytes }) => bytes < edge);
    if (countPlaces(rowsOf(rest).rows) < LEAST_PLACES) break;
    const shown = whole.rows.rows.filter(({ bytes }) => bytes < edge);
    if (!candidate(whole.candidates[0]!.phases, { ...whole.rows, rows: shown })) break;
    const model = peakModel(rest, { shares });
    if (!model) break;
    found.push(held.map(({ at, bytes }) => ({ at, measuredBytes: bytes, ...predict(model, at) })));
  }
  return found;
}

/** A model that is as modest as its own record asks for. */
export function testedModel(
  samples: readonly Sample[],
  knowledge: Knowledge = {},
): { model: PeakModel; tests: Backtest[][] } | null {
  const model = peakModel(samples, knowledge);
  if (!model) return null;
  const tests = backtests(samples, model, knowledge);
  const widening = Math.max(
    1,
    ...tests.flatMap((level, i) => level.map((test) => missBy(test) ** (1 / (i + 1)))),
  );
  return { model: { ...model, widening }, tests };
}

/** 1: the measured value lies on the edge of the interval. */
function missBy({ bytes, lowBytes, highBytes, measuredBytes }: Backtest): number {
  return measuredBytes > bytes
    ? (measuredBytes - bytes) / (highBytes - bytes)
    : (bytes - measuredBytes) / (bytes - lowBytes);
}
