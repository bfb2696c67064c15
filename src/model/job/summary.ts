import type { AskedFor } from '../run.ts';

/**
 * summary.jsonl of a recording: all that the answer about a whole job needs of it, in at most 200 kB, so that a job of
 * thousands of ranks is judged without opening their tables. The first line is what every rank is asked for, the second
 * what only those that stand out are. docs/recording-format.md.
 */
export const SUMMARY_VERSION = 1;
export const MOST_SUMMARY_BYTES = 200_000;
/** Of one job: ranks above are not told apart. */
export const MOST_JOB_RANKS = 2 ** 24;
/** Windows of one envelope at most. */
export const MOST_WINDOWS = 256;

/** What a rank's memory is measured by. */
export const MEASURES = ['card', 'torch', 'memory'] as const;
export type Measure = (typeof MEASURES)[number];

/** The most of each stretch of a rank's life; no maximum is lost. */
export interface Envelope {
  readonly measure: Measure;
  /** What the values may reach: the card's size, the control group's limit, else the machine's memory; null: not known. */
  readonly limitBytes: number | null;
  /** The first window's start, in milliseconds since 1970 by the clock of its machine. */
  readonly startMs: number;
  /** A power of two, so that those of all ranks are cut at the same moments. */
  readonly windowMs: number;
  /** The maximum of each window, a little-endian float64 each, in base64; NaN: nothing was measured in it. */
  readonly maxima: string;
}

/** How a rank ended. */
export interface RankEnding {
  /**
   * As a recording ends, or `running`, or `gone`: its process ended while the recorder went on, and nobody saw its exit
   * code (one recorder for several ranks).
   */
  readonly how: RankEnd;
  /** Milliseconds since 1970 by the clock of its machine: its end, or the last sample of one that was cut off. */
  readonly atMs: number | null;
  readonly code: number | null;
  readonly signal: string | null;
  /** null: cannot be known. */
  readonly outOfMemory: boolean | null;
}

export const RANK_ENDS = [
  'well',
  'failed',
  'killed',
  'ended',
  'cut-off',
  'watched',
  'imported',
  'running',
  'gone',
] as const;
export type RankEnd = (typeof RANK_ENDS)[number];

export interface SummaryPeak {
  readonly series: string;
  readonly bytes: number;
  /** From the workload's start. */
  readonly seconds: number;
  /** The last iteration that had begun by then; null: none is known. */
  readonly iteration: number | null;
}

/** One rank, or all of a recording that has none. */
export interface RankSummary {
  readonly rank: number | null;
  readonly localRank: number | null;
  readonly processes: number;
  /** The most that its processes held at one sample. */
  readonly memory: {
    readonly measure: 'pss' | 'rss';
    readonly bytes: number;
    readonly seconds: number;
    readonly iteration: number | null;
  } | null;
  /** The most that torch had handed out, over its devices. */
  readonly torchBytes: number | null;
  /** The card of which it used the largest share. */
  readonly card: {
    readonly gpu: number;
    readonly name: string;
    readonly bytes: number;
    readonly memoryBytes: number | null;
    readonly seconds: number;
    readonly iteration: number | null;
  } | null;
  readonly ended: RankEnding;
  readonly iterations: {
    readonly count: number;
    /** Of one iteration, the median; null: fewer than three. */
    readonly medianSeconds: number | null;
  } | null;
}

/** What of a rank only a closer look needs. */
export interface RankDetails {
  /** What of it is known by name, the largest first. */
  readonly held: readonly { readonly what: string; readonly bytes: number }[];
  /** The scarcest measure first. */
  readonly envelopes: readonly Envelope[];
}

/** The second line. */
export interface SummaryDetails {
  readonly peaks: readonly SummaryPeak[];
  /** In the order of the first line. */
  readonly ranks: readonly RankDetails[];
}

/** A summary, with the rest of it where it is asked for. */
export interface WholeSummary {
  readonly summary: RecordingSummary;
  readonly details: SummaryDetails;
}

export interface RecordingSummary {
  readonly type: 'recording-summary';
  readonly version: typeof SUMMARY_VERSION;
  readonly id: string;
  readonly name: string;
  readonly command: string;
  /** The machine. */
  readonly node: string;
  readonly launcher: string | null;
  /** The same in all ranks of a job. */
  readonly job: string | null;
  readonly worldSize: number | null;
  /** How often an elastic job had begun anew. */
  readonly restart: number;
  /** The workload's start, in milliseconds since 1970 by the clock of its machine. */
  readonly startedMs: number;
  readonly durationSeconds: number;
  /** Recorded to its end, and all of it can be read. */
  readonly complete: boolean;
  /** Why the recording stops before its end; null: it does not. */
  readonly stopped: string | null;
  /** The report's answer, its first line. */
  readonly verdict: {
    readonly code: string;
    readonly certainty: string;
    readonly sentence: string;
  };
  /** As the first line of a report has it. */
  readonly headline: SummaryPeak | null;
  readonly leak: {
    readonly verdict: 'leak' | 'plateau' | 'bounded' | 'inconclusive';
    readonly perIterationBytes: number | null;
    readonly perHourBytes: number | null;
    /** At most so fast, whatever the verdict. */
    readonly atMostPerIterationBytes: number | null;
    readonly atMostPerHourBytes: number | null;
  };
  /** What the scheduler was asked for; null: none told. */
  readonly asked: AskedFor | null;
  /** Of the control group it was measured in; null: none. */
  readonly limitBytes: number | null;
  readonly machineBytes: number | null;
  /** Cards that the recorder saw, and those of them that its processes used. */
  readonly cards: { readonly seen: number; readonly used: number };
  readonly ranks: readonly RankSummary[];
  /** Ranks of it for which there was no room. */
  readonly ranksLeftOut: number;
}
