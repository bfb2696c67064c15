import type { FoundRecordings, ListedVerdict } from '../../analyses/listed-run.ts';
import type { Report } from '../../analyses/report.ts';
import { UserError } from '../../base/errors.ts';
import type { Columns } from '../../model/columns.ts';
import type { InputProgress } from '../../model/inputs-info.ts';
import type { CrashText } from '../../model/out-of-memory.ts';
import type { Recording } from '../../model/recording.ts';
import type { HeapSource } from '../open-inputs.ts';
import type { LazySweep } from '../open-sweep.ts';
import type { ReplayThread } from '../replay-messages.ts';

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

/** JSON-able data, or columns where there are many numbers. */
export type Payload = object | Columns;

/**
 * A named piece of data about one run or about all of them: the one way in which data reaches the
 * page. To add one, write a file beside this and name it in index.ts.
 */
export interface Resource {
  readonly name: string;
  readonly scope: 'run' | 'job';
  /** Whether these inputs have such a thing; cheap, as it is asked for each run that is opened. */
  has(opened: OpenInputs, run?: OpenRun): boolean;
  /** `query`: parameters of the address. A UserError in it is shown on the page. `signal`: nobody waits for the answer any more. */
  get(
    opened: OpenInputs,
    run: OpenRun | undefined,
    query: URLSearchParams,
    signal?: AbortSignal,
  ): Promise<Payload>;
  /** For a one-file report: the queries whose answers it carries (default: the empty one); null: none. */
  embed?(opened: OpenInputs, run?: OpenRun): readonly string[] | null;
  /** What a reader of the one-file report cannot see, in one sentence; null: nothing. */
  leftOut?(opened: OpenInputs, run?: OpenRun): string | null;
}

/** For resources of a run, which are never asked for without one. */
export function asRun(run: OpenRun | undefined): OpenRun {
  if (run) return run;
  throw new UserError('this is asked of one run', { hint: 'name it: /api/run/0/…' });
}

/** Whether there are two runs that tell anything over time; heaps alone do not. */
export const isComparable = ({ runs }: OpenInputs): boolean =>
  runs.filter(({ recording }) => recording.tables.length > 0).length > 1;
