import { UserError } from '../../base/errors.ts';
import { chosenSeries } from '../../model/common-series.ts';
import type { NamedRecording, Recording } from '../../model/recording.ts';
import { seriesNames } from '../../model/series.ts';
import {
  type AllocationComparison,
  compareAllocations,
  hasTraces,
} from '../allocations/diff/index.ts';
import { type LayerDifference, layerDifferences } from '../layers/difference.ts';
import { type Ranks, ranks } from '../ranks/index.ts';
import { type Difference, differences } from './differences.ts';
import { notes } from './notes.ts';
import { type ComparedRun, comparedRun } from './run.ts';

export type { ComparedRun, Difference };

/** What could not take part, and why. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** Runs side by side. */
export interface Comparison {
  readonly type: 'comparison';
  readonly schemaVersion: 1;
  /** The series that all runs are compared in; null where they differ, as `notes` then say. */
  readonly series: string | null;
  /** Whether the figures are of one measure; GPUs of different index are. */
  readonly comparable: boolean;
  /** In the order they were given. */
  readonly runs: readonly ComparedRun[];
  /** All pairs or, with a baseline, each other run against it; none where they are not comparable. */
  readonly differences: readonly Difference[];
  readonly skipped: readonly Skipped[];
  /** What allocators did, where runs have a trace of that; `runs` have those that were sampled. */
  readonly allocations: AllocationComparison | null;
  /** What layers held, where at least two runs tell of them: each against the first, or the baseline. */
  readonly layers: readonly LayerDifference[];
  /** Where the runs are the ranks of one job: which stands out, and by what; null where they are not. */
  readonly ranks: Omit<Ranks, 'type'> | null;
  /** What to know before trusting the figures: what was assumed, what differs. */
  readonly notes: readonly string[];
}

export interface CompareOptions {
  /** Compare in this series; those that lack it are skipped. */
  readonly series?: string;
  /** The name of the run that all others are held against. */
  readonly baseline?: string;
  /** The job that all of them are the ranks of. */
  readonly job?: Recording;
}

/** Peaks and durations of memory over time, and allocation traces side by side. */
export function compare(
  given: readonly NamedRecording[],
  options: CompareOptions = {},
): Comparison {
  const chosen = chosenSeries(
    given.map(({ recording }) => recording),
    options.series,
  );
  const skipped = given
    .filter(({ recording }, i) => chosen[i] === null && !hasTraces(recording))
    .map(({ name, recording }) => ({ name, reason: lacks(recording, options.series) }));
  const taken = given.flatMap((run, i) => (chosen[i] ? [{ ...run, series: chosen[i] }] : []));
  const names = new Set(taken.map((run) => run.series.name));
  const comparable = new Set([...names].map((name) => name.replace(/\d+/, ''))).size <= 1;
  const runs = withLowest(
    taken.map(({ name, recording, series }) => comparedRun(name, recording, series)),
    comparable,
  );
  const against = baseline(given, runs, options.baseline);
  return {
    type: 'comparison',
    schemaVersion: 1,
    series: names.size === 1 ? runs[0]!.series : null,
    comparable,
    runs,
    differences: comparable ? differences(runs, against) : [],
    skipped,
    allocations: compareAllocations(given, options.baseline),
    layers: layerDifferences(given, options.baseline),
    ranks: options.job ? ranksOf(options.job) : null,
    notes: [
      ...apart(given, runs),
      ...notes(
        runs,
        taken.map(({ recording }) => recording),
        comparable,
      ),
    ],
  };
}

function ranksOf(job: Recording): Comparison['ranks'] {
  const { type: _type, ...sideBySide } = ranks(job);
  return sideBySide;
}

function withLowest(
  runs: readonly Omit<ComparedRun, 'timesLowest'>[],
  comparable: boolean,
): ComparedRun[] {
  const lowest = Math.min(...runs.map((run) => run.peakAboveBaselineBytes));
  return runs.map((run) => ({
    ...run,
    timesLowest: comparable && lowest > 0 ? run.peakAboveBaselineBytes / lowest : null,
  }));
}

/** Samples of a whole process and the allocations within it are not figures of one kind. */
function apart(given: readonly NamedRecording[], runs: readonly ComparedRun[]): string[] {
  const sampled = runs.map((run) => run.name);
  const traced = given
    .filter(({ name, recording }) => !sampled.includes(name) && hasTraces(recording))
    .map(({ name }) => name);
  if (sampled.length === 0 || traced.length === 0) return [];
  const [a, b] = [traced.join(', '), sampled.join(', ')];
  if (given.length === 2) {
    throw new UserError(
      `${a} is an allocation trace and ${b} was sampled: they cannot be compared that way`,
      { hint: 'give two allocation traces, or two recordings' },
    );
  }
  return [`not held against each other: allocation traces (${a}) and sampled runs (${b})`];
}

function lacks(recording: Recording, asked: string | undefined): string {
  const there = seriesNames(recording);
  if (there.length === 0) return 'it has no memory samples';
  return `it has no series '${asked}', but ${there.join(', ')}`;
}

/** null also where the run asked for has but an allocation trace. */
function baseline(
  given: readonly NamedRecording[],
  runs: readonly ComparedRun[],
  name: string | undefined,
): ComparedRun | null {
  if (name === undefined || given.length === 0) return null;
  const found = runs.find((run) => run.name === name);
  const known = given.filter(
    (run) => hasTraces(run.recording) || runs.some((one) => one.name === run.name),
  );
  if (found || known.some((run) => run.name === name)) return found ?? null;
  throw new UserError(`there is no run '${name}' to hold the others against`, {
    hint: `one of ${known.map((run) => run.name).join(', ')}`,
  });
}
