import { UserError } from '../../base/errors.ts';
import { hasLiveStacks } from '../../model/allocations/live-stacks.ts';
import { chosenSeries } from '../../model/common-series.ts';
import type { NamedRecording, Recording } from '../../model/recording.ts';
import { seriesNames } from '../../model/series.ts';
import type { Verdict } from '../../model/verdict.ts';
import { compareAllocations, hasTraces } from '../allocations/diff/index.ts';
import { layerDifferences } from '../layers/difference.ts';
import { ranks } from '../ranks/index.ts';
import { comparisonVerdict } from '../verdict/comparison.ts';
import type { ComparisonFacts, Skipped } from './comparison.ts';
import { type Difference, differences } from './differences.ts';
import { liveStacksDifferences } from './live-stacks.ts';
import { notes } from './notes.ts';
import { type ComparedRun, comparedRun } from './run.ts';

export type { ComparedRun, Difference, Skipped };

/** Runs side by side, and the verdict on them. */
export interface Comparison extends ComparisonFacts {
  readonly verdict: Verdict;
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
  const liveStacks = liveStacksDifferences(given, options.baseline);
  const held = (recording: Recording) => liveStacks.length > 0 && hasLiveStacks(recording);
  const skipped = given
    .filter(({ recording }, i) => chosen[i] === null && !hasTraces(recording) && !held(recording))
    .map(({ name, recording }) => ({ name, reason: lacks(recording, options.series) }));
  const taken = given.flatMap((run, i) => (chosen[i] ? [{ ...run, series: chosen[i] }] : []));
  const names = new Set(taken.map((run) => run.series.name));
  const comparable = new Set([...names].map((name) => name.replace(/\d+/, ''))).size <= 1;
  const runs = withLowest(
    taken.map(({ name, recording, series }) => comparedRun(name, recording, series)),
    comparable,
  );
  const against = baseline(given, runs, options.baseline);
  const facts: ComparisonFacts = {
    type: 'comparison',
    schemaVersion: 1,
    series: names.size === 1 ? runs[0]!.series : null,
    comparable,
    runs,
    differences: comparable ? differences(runs, against) : [],
    skipped,
    allocations: compareAllocations(given, options.baseline),
    liveStacks,
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
  return { ...facts, verdict: comparisonVerdict(facts) };
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
  if (hasLiveStacks(recording)) {
    return 'it is a heap profile, which is held against another heap profile only';
  }
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
    (run) =>
      hasTraces(run.recording) ||
      hasLiveStacks(run.recording) ||
      runs.some((one) => one.name === run.name),
  );
  if (found || known.some((run) => run.name === name)) return found ?? null;
  throw new UserError(`there is no run '${name}' to hold the others against`, {
    hint: `one of ${known.map((run) => run.name).join(', ')}`,
  });
}
