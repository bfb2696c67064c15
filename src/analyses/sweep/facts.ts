import type { MeanDifference } from './mean-difference.ts';

/** What became of one run, with its figures where it left some. */
export interface SweepRun {
  readonly recording: string;
  readonly repeat: number;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'interrupted';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
  readonly figures: Figures | null;
  /** The recording stopped before the run did: its peak is the least that it was. */
  readonly incomplete?: true;
}

export interface Figures {
  readonly series: string;
  readonly baselineBytes: number;
  readonly peakBytes: number;
  readonly peakAboveBaselineBytes: number;
  readonly durationSeconds: number;
  /** Absent where sizes were not asked for, or not reported. */
  readonly sizes?: SizeFigures;
}

/** What a process reported of its size, in bytes (docs/sizes.md). */
export interface SizeFigures {
  readonly topsize: number;
  readonly code: number;
  readonly simsize: number;
  readonly wtsize: number;
}

/** One figure over the repeats. */
export interface Spread {
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

/** One combination of parameters, over all its repeats. */
export interface SweepRow {
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly runs: readonly SweepRun[];
  /** Whether the figures are of runs that went well; of the others only where none did. */
  readonly well: boolean;
  /** How many runs the figures are of. */
  readonly measured: number;
  readonly peakBytes: Spread | null;
  readonly peakAboveBaselineBytes: Spread | null;
  readonly durationSeconds: Spread | null;
  /** Means over those runs that reported them; absent where none did. */
  readonly sizes?: SizeFigures;
}

/** How much higher the mean peak above the baseline of `b` is than that of `a`. */
export interface SweepDifference extends MeanDifference {
  readonly a: string;
  readonly b: string;
}

/** What was asked for, and where its runs are. */
export interface SweepHead {
  readonly folder: string;
  readonly name: string;
  /** With its `{names}`; secrets redacted. */
  readonly command: readonly string[];
  readonly params: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly repeat: number;
  /** Runs side by side at most. */
  readonly jobs: number;
  /** What all figures are of; null where runs differ in it. */
  readonly series: string | null;
  /** Pictures, relative to the folder. */
  readonly plots: readonly string[];
  /** What to know before trusting the figures. */
  readonly notes: readonly string[];
}

/** All runs of a sweep: a row each combination. */
export interface SweepFacts extends SweepHead {
  readonly type: 'sweep';
  readonly schemaVersion: 1;
  /** How many runs are in which state. */
  readonly runs: Readonly<Record<SweepRun['state'], number>>;
  /** In the order of the grid. */
  readonly combinations: readonly SweepRow[];
  /** Each pair once, from the lowest peak up; in a large grid, each against the lowest only. */
  readonly differences: readonly SweepDifference[];
}
