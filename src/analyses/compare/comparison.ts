import type { AllocationComparison } from '../allocations/diff/index.ts';
import type { LayerDifference } from '../layers/difference.ts';
import type { Ranks } from '../ranks/index.ts';
import type { Difference } from './differences.ts';
import type { LiveStacksDifference } from './live-stacks.ts';
import type { ComparedRun } from './run.ts';

/** What could not take part, and why. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
}

/** Runs side by side, as figures. */
export interface ComparisonFacts {
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
  /** What was in use when heap profiles were taken: each against the first, or the baseline. */
  readonly liveStacks: readonly LiveStacksDifference[];
  /** What layers held, where at least two runs tell of them: each against the first, or the baseline. */
  readonly layers: readonly LayerDifference[];
  /** Where the runs are the ranks of one job: which stands out, and by what; null where they are not. */
  readonly ranks: Omit<Ranks, 'type'> | null;
  /** What to know before trusting the figures: what was assumed, what differs. */
  readonly notes: readonly string[];
}
