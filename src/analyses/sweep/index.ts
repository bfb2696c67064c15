import type { Verdict } from '../../model/verdict.ts';
import { sweepVerdict } from '../verdict/sweep.ts';
import type {
  Figures,
  SizeFigures,
  Spread,
  SweepDifference,
  SweepFacts,
  SweepHead,
  SweepRow,
  SweepRun,
} from './facts.ts';
import { mean, meanDifference } from './mean-difference.ts';

export type { Figures, SizeFigures, Spread, SweepDifference, SweepHead, SweepRow, SweepRun };

/** All runs of a sweep, and the verdict on them. */
export interface Sweep extends SweepFacts {
  readonly verdict: Verdict;
}

/** Above this, all pairs are too many to read. */
const MOST_PAIRED = 40;

export function sweep(
  head: SweepHead,
  given: readonly Pick<SweepRow, 'name' | 'params' | 'runs'>[],
): Sweep {
  const runs = { waiting: 0, running: 0, done: 0, failed: 0, interrupted: 0 };
  for (const { state } of given.flatMap((row) => row.runs)) runs[state]++;
  const combinations = given.map(sweepRow);
  const facts: SweepFacts = {
    type: 'sweep',
    schemaVersion: 1,
    ...head,
    runs,
    combinations,
    differences: differences(combinations),
  };
  return { ...facts, verdict: sweepVerdict(facts) };
}

function differences(rows: readonly SweepRow[]): SweepDifference[] {
  const ranked = rows
    .filter((row) => row.well)
    .sort((a, b) => a.peakAboveBaselineBytes!.mean - b.peakAboveBaselineBytes!.mean);
  const firsts = ranked.length > MOST_PAIRED ? ranked.slice(0, 1) : ranked;
  return firsts.flatMap((a, i) =>
    ranked.slice(i + 1).map((b) => ({
      a: a.name,
      b: b.name,
      ...meanDifference(peaksOf(a), peaksOf(b)),
    })),
  );
}

function sweepRow(given: Pick<SweepRow, 'name' | 'params' | 'runs'>): SweepRow {
  const counted = countedRuns(given.runs).map((run) => run.figures!);
  const spread = (key: 'peakBytes' | 'peakAboveBaselineBytes' | 'durationSeconds') =>
    spreadOf(counted.map((figures) => figures[key]));
  const sizes = meanSizes(counted.flatMap((figures) => figures.sizes ?? []));
  return {
    ...given,
    ...(sizes && { sizes }),
    well: counted.length > 0 && given.runs.some(isWell),
    measured: counted.length,
    peakBytes: spread('peakBytes'),
    peakAboveBaselineBytes: spread('peakAboveBaselineBytes'),
    durationSeconds: spread('durationSeconds'),
  };
}

function meanSizes(all: readonly SizeFigures[]): SizeFigures | null {
  if (all.length === 0) return null;
  const of = (key: keyof SizeFigures) => mean(all.map((sizes) => sizes[key]));
  return { topsize: of('topsize'), code: of('code'), simsize: of('simsize'), wtsize: of('wtsize') };
}

const isWell = (run: SweepRun) => run.state === 'done' && !run.incomplete;

/** A run that failed, or whose recording stopped, says how far it came, which is worth telling where no other went well. */
function countedRuns(runs: readonly SweepRun[]): SweepRun[] {
  const measured = runs.filter((run) => run.figures !== null && run.state !== 'interrupted');
  const well = measured.filter(isWell);
  return well.length > 0 ? well : measured;
}

const peaksOf = (row: SweepRow) =>
  countedRuns(row.runs).map((run) => run.figures!.peakAboveBaselineBytes);

function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  return { mean: mean(values), min: Math.min(...values), max: Math.max(...values) };
}
