import type { WhatIfFigures } from '../../analyses/allocations/what-if/answer.ts';
import type { GateableSeries } from '../../analyses/check/gateable-series.ts';
import type { CheckResult } from '../../analyses/check/index.ts';
import type { Comparison } from '../../analyses/compare/index.ts';
import type { Fit } from '../../analyses/fit/index.ts';
import type {
  GrownPlaces,
  HeapGrowth,
  HeapTable,
  StatDifference,
} from '../../analyses/heap/index.ts';
import type { Job } from '../../analyses/job/index.ts';
import type { Repeats } from '../../analyses/leak/repeats.ts';
import type { OutOfMemory } from '../../analyses/out-of-memory.ts';
import type { Report } from '../../analyses/report.ts';
import type { Sweep } from '../../analyses/sweep/index.ts';
import type { TagAnalysis, TagCategory } from '../../analyses/tags/index.ts';
import type { HeapAbout } from '../../model/heap/graph.ts';
import type { Availability } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { ListEntry } from '../../views/run-list.ts';
import type { SizesResult } from '../../views/sizes.ts';
import type { Answer } from '../commands/heap/session.ts';

/*
 * What each verb prints with --json: scripts/json-schemas.ts makes docs/schemas of these types, a file
 * each, and test/schemas holds what the verbs really print against them.
 */

/** Every output has one: the answer in at most 4 KB (docs/json-outputs.md). */
interface WithVerdict {
  readonly verdict: Verdict;
}

/** Any of these with `--brief`: the verdict without the rest. */
export interface BriefOutput extends WithVerdict {
  /** As the whole output has it. */
  readonly type: string;
  readonly schemaVersion: number;
  readonly brief: true;
}

/** `highwater report RECORDING --json`: what happened in one run. */
export type ReportOutput = Report;

/** `highwater snapshot … --json`: the report of what it wrote down. */
export type SnapshotOutput = Report;

/** `highwater report LOG --json`: what a log says about memory that ran out. */
export type OutOfMemoryOutput = OutOfMemory & WithVerdict;

/** `highwater report --series --json`: every name that can be held against a limit. */
export type SeriesOutput = GateableSeries & WithVerdict;

/** `highwater report FOLDER --json` of `record --repeat`: what its runs left behind. */
export type RepeatsOutput = Repeats & WithVerdict;

/** `highwater job ID|FOLDER --json`: all ranks of one distributed run. */
export type JobOutput = Job;

/** `highwater list --json`: the recordings that are there, the newest first. */
export interface ListOutput {
  readonly type: 'list';
  readonly schemaVersion: 1;
  /** Where was looked. */
  readonly places: readonly string[];
  /** How many there are; without --all not all of them are in the list. */
  readonly found: number;
  readonly recordings: readonly ListEntry[];
}

/** `highwater compare RUN RUN --json`: runs side by side. */
export type CompareOutput = Comparison;

/** `highwater sweep … --json` and `highwater report SWEEP --json`: all runs of a sweep. */
export interface SweepOutput extends Sweep {
  /** With --fit: what would fit. */
  readonly fit?: Fit;
}

/** `highwater report PEAKS.csv --fit SIZE --json`: what would fit, from a table of peaks. */
export interface PeakTableOutput extends WithVerdict {
  readonly type: 'peak-table';
  readonly schemaVersion: 1;
  readonly fit: Fit;
}

/** `highwater check … --json`: whether runs keep within limits. */
export type CheckOutput = CheckResult;

/** `highwater what-if SNAPSHOT --json`: what torch's allocator would have reserved under other settings. */
export type WhatIfOutput = WhatIfFigures & WithVerdict;

/** `highwater sizes … --json`: the sizes of processes against what explains them. */
export type SizesOutput = SizesResult & WithVerdict;

/** `highwater analyze LOG --json`: what tagged allocation lines add up to. */
export interface AnalyzeOutput extends WithVerdict {
  readonly type: 'tag-analyses';
  readonly schemaVersion: 1;
  readonly logs: readonly (Omit<TagAnalysis, 'type' | 'categories'> & {
    readonly path: string;
    /** The file with the single tags. */
    readonly out: string;
    /** Largest first. */
    readonly categories: readonly Omit<TagCategory, 'tags'>[];
  })[];
  /** Files of a folder that are no such log. */
  readonly ignored: readonly { readonly path: string; readonly reason: string }[];
}

/** The heap that is told of. */
interface HeapFacts {
  readonly schemaVersion: number;
  readonly file: string;
  readonly runtime: string;
  readonly nodes: number;
  readonly edges: number;
  readonly about: HeapAbout;
}

/** `highwater heap FILE --json`: its objects told apart. A heap that has rows only has no facts of its own. */
export type HeapOutput = (HeapTable & WithVerdict) | (HeapFacts & HeapTable & WithVerdict);

/** `highwater heap A B --json`: B less A. */
export type HeapDifferenceOutput = StatDifference & Partial<GrownPlaces> & WithVerdict;

/** `highwater heap A B C --json`: what grows. */
export type HeapGrowthOutput = HeapGrowth & WithVerdict;

/** `highwater heap FILE --ask … --json`: each ask with its answer. */
export interface HeapAnswersOutput extends HeapFacts, WithVerdict {
  readonly type: 'heap-answers';
  readonly answers: readonly { readonly ask: string; readonly answer: Answer }[];
}

/** `highwater doctor --json`: what can be measured on this machine. */
export interface DoctorOutput extends WithVerdict {
  readonly type: 'doctor';
  readonly schemaVersion: 1;
  readonly sources: readonly ({ readonly id: string; readonly title: string } & Availability)[];
}
