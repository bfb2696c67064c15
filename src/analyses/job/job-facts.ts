import type { NumberOrNaN } from '../../base/stats.ts';
import type { Measure, RankEnd } from '../../model/job/summary.ts';
import type { JobAsked } from './asked.ts';
import type { FirstDeath } from './first-death.ts';
import type { JobOutlier } from './outliers.ts';
import type { JobSkew } from './skew.ts';
import type { JobPace } from './stragglers.ts';

/** Ranks by their number, the first few of them. */
export interface SomeRanks {
  readonly count: number;
  readonly first: readonly number[];
}

/** The peaks of all ranks by one measure. */
export interface JobPeaks {
  readonly measure: Measure;
  /** Of memory: `pss` divides shared pages among their users, `rss` counts them for each; `mixed`: not the same in all. */
  readonly of: 'pss' | 'rss' | 'mixed' | null;
  readonly ranks: number;
  readonly minBytes: number;
  readonly medianBytes: number;
  readonly p90Bytes: number;
  readonly p99Bytes: number;
  readonly maxBytes: number;
  readonly maxRank: number | null;
  readonly maxNode: string;
  /** All ranks together: they held at most this at once. */
  readonly sumBytes: number;
  /** Whether median and percentiles are exact; else to 0.5 %. The others always are. */
  readonly exact: boolean;
}

/** One rank in a table. */
export interface JobRank {
  readonly rank: number | null;
  readonly node: string;
  readonly memoryBytes: number | null;
  readonly torchBytes: number | null;
  readonly cardBytes: number | null;
  readonly cardMemoryBytes: number | null;
  /** Of its highest memory, from its workload's start. */
  readonly peakSeconds: NumberOrNaN;
  readonly peakIteration: number | null;
  readonly ended: RankEnd;
  readonly iterations: number | null;
}

export interface JobLeak {
  readonly rank: number | null;
  readonly node: string;
  readonly perHourBytes: number | null;
  readonly perIterationBytes: number | null;
  /** The first line of its own report. */
  readonly sentence: string;
}

/** What became of all ranks of one job. */
export interface JobFacts {
  readonly type: 'job';
  readonly schemaVersion: 1;
  readonly job: {
    readonly id: string | null;
    /** The batch system's number of it. */
    readonly batchJob: string | null;
    readonly name: string;
    readonly command: string;
    readonly launcher: string | null;
    readonly startedAt: string;
    /** Of the rank that ended last; null while one runs. */
    readonly endedAt: string | null;
    readonly durationSeconds: number;
    /** How often it had begun anew; figures are of the last attempt. */
    readonly restart: number;
  };
  readonly recordings: {
    readonly read: number;
    /** Had no summary that could be read: it was made from their tables. */
    readonly made: number;
    /** Of earlier attempts. */
    readonly leftOut: number;
    readonly unreadable: { readonly count: number; readonly first: readonly string[] };
  };
  readonly nodes: number;
  readonly ranks: {
    readonly count: number;
    /** As the launcher told; null: it did not. */
    readonly worldSize: number | null;
    /** Of the world's, those without a recording. */
    readonly missing: SomeRanks;
    /** Their recording stops before its end. */
    readonly cut: SomeRanks;
    readonly running: number;
    readonly withoutRank: number;
    /** There again, in another recording, which was left out. */
    readonly twice: SomeRanks;
    /** By how they ended. */
    readonly endings: Readonly<Partial<Record<RankEnd, number>>>;
    readonly outOfMemory: number;
  };
  readonly firstDeath: FirstDeath | null;
  readonly peaks: readonly JobPeaks[];
  readonly outliers: readonly JobOutlier[];
  readonly leaks: { readonly count: number; readonly first: readonly JobLeak[] };
  readonly pace: JobPace | null;
  readonly skew: JobSkew | null;
  readonly asked: JobAsked;
  /** Those that hold most. */
  readonly top: readonly JobRank[];
  /** What the ranks' own reports say, how often. */
  readonly verdicts: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
}
