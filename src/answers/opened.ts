import { ending } from '../analyses/ending.ts';
import type { Fit } from '../analyses/fit/index.ts';
import type { FitRequest } from '../analyses/fit/question.ts';
import type { Heap } from '../analyses/heap/index.ts';
import type { HeatMapColumns } from '../analyses/job/heat-map.ts';
import type { FoundRecordings, ListedVerdict } from '../analyses/listed-run.ts';
import { ranks } from '../analyses/ranks/index.ts';
import { type RecordingWithTraces, type Report, report } from '../analyses/report.ts';
import { stopped } from '../analyses/stopped.ts';
import type { Sweep } from '../analyses/sweep/index.ts';
import { RecordingBuilder } from '../model/builder.ts';
import type { InputInfo, InputProgress } from '../model/inputs-info.ts';
import type { CrashText } from '../model/out-of-memory.ts';
import type { Recording } from '../model/recording.ts';
import type { ReplayThread } from './replays/messages.ts';

/** A heap that lies somewhere, read when it is first looked at. */
export interface HeapSource {
  /** Of its file, or of its place in a recording. */
  readonly name: string;
  /** Reads it the first time; throws UserError for what cannot be read. */
  open(progress: (progress: InputProgress) => void): Promise<Heap>;
}

/** The folder of a job of very many ranks, of which summaries are read when it is first looked at. */
export interface JobSource {
  /** Throws UserError where it is no job. */
  open(progress: (progress: InputProgress) => void): Promise<HeatMapColumns>;
}

/** What opening one input gives. */
export interface OpenedInput extends RecordingWithTraces {
  readonly heaps: readonly HeapSource[];
  /** What a log says about memory that ran out, where it is one. */
  readonly crash?: CrashText;
  /** Where it is a job of very many ranks. */
  readonly job?: JobSource;
}

/** A sweep's folder, read when it is first looked at. */
export interface LazySweep {
  /** What `highwater report FOLDER --json` prints. */
  readonly result: Sweep;
  /** What would fit, as `--fit`, `--at` and `--in-use` ask. */
  fit(request: FitRequest): Fit;
}

/** One opened input. */
export interface OpenRun {
  /** `0`, `1` …, in the order of the inputs. */
  readonly id: string;
  readonly name: string;
  /** As the user gave it. */
  readonly path: string;
  readonly recording: Recording;
  /** Allocation traces that lay beside the recording. */
  readonly snapshots: readonly Recording[];
  /** Heaps that lie in it, or that it is. */
  readonly heaps?: readonly HeapSource[];
  /** What a log says about memory that ran out, where it is one. */
  readonly crash?: CrashText;
  /** Where it is a job of very many ranks. */
  readonly job?: JobSource;
  /** The report, made when first asked for: on a large trace it takes a second or more. */
  readonly result: Report;
}

/** Everything that was opened for one page. */
export interface OpenInputs {
  /** Those that could be opened, in the order of the inputs. */
  readonly runs: readonly OpenRun[];
  /** Folders and files as the user gave them. */
  readonly inputs: readonly string[];
  /** The recordings that lie here, where they are to choose from. */
  readonly here?: () => RecordingsHere;
  /** Where the input is the folder of a sweep. */
  readonly sweep?: LazySweep;
  /** Tells the page how far a long answer is. */
  progress(progress: InputProgress): void;
  /** One of its own for a long question. */
  replayThread(): ReplayThread;
}

/** Recordings to choose from. */
export interface RecordingsHere extends FoundRecordings {
  /** What one of them was, read when it is asked for; throws UserError for one that is not of them or cannot be read. */
  open(path: string): Promise<ListedVerdict>;
}

/** An opened input whose report is made when it is first asked for. */
export function openRun(id: string, name: string, path: string, opened: OpenedInput): OpenRun {
  let result: Report | undefined;
  return {
    id,
    name,
    path,
    ...opened,
    get result() {
      result ??= report(opened.recording, opened.snapshots, opened.rankTraces);
      return result;
    },
  };
}

/** Of a heap alone, or a log, nothing was sampled: a recording without tables. */
export function notSampled(path: string, name: string): RecordingWithTraces {
  const recording = new RecordingBuilder({ id: path, name }).build();
  return { recording, snapshots: [], rankTraces: [] };
}

/** What decides which page opens first, told before anything is asked: cheap, as it is looked for whenever a run has grown. */
export function firstLook(
  recording: Recording,
  growing = false,
): Pick<InputInfo, 'stopsAt' | 'died' | 'outlier'> {
  const { how, oomKilled, oomMessages } = ending(recording);
  return {
    stopsAt: growing ? null : (stopped(recording)?.seconds ?? null),
    died: how === 'failed' || how === 'killed' || oomKilled === true || oomMessages.length > 0,
    outlier: ranks(recording).outlier?.rank ?? null,
  };
}
