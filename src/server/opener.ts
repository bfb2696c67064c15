import type { RankRecording } from '../analyses/report.ts';
import type { Progress } from '../model/job-info.ts';
import type { Recording } from '../model/recording.ts';
import type { HeapSource } from './heap-source.ts';
import type { LazySweep } from './open-sweep.ts';

/** What opening one input gives. */
export interface Opened {
  readonly recording: Recording;
  /** Allocation traces that lay beside it. */
  readonly snapshots: readonly Recording[];
  readonly heaps?: readonly HeapSource[];
  /** Traces of the ranks of a job, to hold them against each other. */
  readonly rankTraces?: readonly RankRecording[];
}

/** How inputs are found and read; the command line brings it, as it knows all kinds of them. */
export interface Opener {
  /** The runs that arguments name, as paths: a folder may hold several. */
  list(inputs: readonly string[]): Promise<string[]>;
  open(path: string, progress: (progress: Progress) => void): Promise<Opened>;
  /** Where the inputs are the folder of one sweep. */
  sweep?(inputs: readonly string[]): LazySweep | undefined;
  /** What to call them side by side. */
  names(opened: readonly { path: string; recording: Recording }[]): string[];
}
