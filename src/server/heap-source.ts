import type { Heap } from '../analyses/heap/index.ts';
import type { Progress } from '../model/job-info.ts';

/** A heap that lies somewhere, read when it is first looked at. */
export interface HeapSource {
  /** Of its file, or of its place in a recording. */
  readonly name: string;
  /** Reads it the first time; throws UserError for what cannot be read. */
  open(progress: (progress: Progress) => void): Promise<Heap>;
}
