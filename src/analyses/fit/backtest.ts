import { candidateModel } from './candidate-model.ts';
import { countPoints, designMatrix, type Sample } from './design-matrix.ts';
import { leaveEachOut } from './leave-out.ts';
import { type PeakModel, type PriorKnowledge, peakModel, predict } from './peak-model.ts';
import type { Estimate } from './student-mixture.ts';
import { wideningBy } from './widening.ts';

/** A measured peak, predicted from smaller ones. */
export interface Backtest extends Estimate {
  readonly at: readonly number[];
  readonly measuredBytes: number;
}

/** Peaks within so much of each other are of one size, whatever the parameters. */
const SAME_SIZE = 0.03;
/** The largest sizes are held back one, two and three at a time, while enough is left. */
const MOST_LEVELS = 3;
const FEWEST_POINTS = 3;

/** How well the largest samples are predicted from the smaller ones: the one test of extrapolation. */
function backtests(
  samples: readonly Sample[],
  whole: PeakModel,
  { bounds: _, ...prior }: PriorKnowledge,
): Backtest[][] {
  const sorted = [...samples].sort((a, b) => a.bytes - b.bytes);
  const found: Backtest[][] = [];
  let rest = sorted;
  for (let level = 1; level <= MOST_LEVELS; level++) {
    const edge = rest.at(-1)!.bytes * (1 - SAME_SIZE);
    const held = rest.filter(({ bytes }) => bytes >= edge);
    rest = rest.filter(({ bytes }) => bytes < edge);
    if (countPoints(designMatrix(rest).rows) < FEWEST_POINTS) break;
    const shown = whole.design.rows.filter(({ bytes }) => bytes < edge);
    if (!candidateModel(whole.candidates[0]!.phases, { ...whole.design, rows: shown })) break;
    const model = peakModel(rest, prior);
    if (!model) break;
    found.push(held.map(({ at, bytes }) => ({ at, measuredBytes: bytes, ...predict(model, at) })));
  }
  return found;
}

/** A model whose intervals are as wide as its tests ask for. */
export function testedModel(
  samples: readonly Sample[],
  known: PriorKnowledge = {},
): { model: PeakModel; tests: Backtest[][] } | null {
  const model = peakModel(samples, known);
  if (!model) return null;
  const tests = backtests(samples, model, known);
  const worst = Math.max(
    0,
    ...tests.flatMap((level, i) => level.map((test) => missRatio(test) ** (1 / (i + 1)))),
  );
  return { model: { ...model, widening: wideningBy(leaveEachOut(model), worst) }, tests };
}

/** 1: the measured value lies on the edge of the interval. */
function missRatio({ bytes, lowBytes, highBytes, measuredBytes }: Backtest): number {
  return measuredBytes > bytes
    ? (measuredBytes - bytes) / (highBytes - bytes)
    : (bytes - measuredBytes) / (bytes - lowBytes);
}
