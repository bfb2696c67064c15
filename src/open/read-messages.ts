import type { EventsSoFar } from '../model/allocations/trace-scan.ts';
import type { RunInfo } from '../model/run.ts';
import type { TableName } from '../model/schema.ts';
import type { Batch } from '../model/table.ts';

/** What the reading thread says of the one file it was given. */
export type FromReadThread =
  /** Events are read into these columns from now on. */
  | { readonly type: 'columns'; readonly columns: EventsSoFar }
  /** So many are in them. */
  | { readonly type: 'events'; readonly rows: number; readonly bytesRead: number }
  | ReadRecording
  | { readonly type: 'failed'; readonly error: ToldError };

/** All that the file holds. */
export interface ReadRecording {
  readonly type: 'recording';
  readonly run: RunInfo;
  readonly tables: readonly (readonly [TableName, readonly Batch[]])[];
  /** Its events are those that were told of, in the same order. */
  readonly inOrder: boolean;
}

/** An error on its way between threads, which keeps neither class nor hint. */
export interface ToldError {
  readonly kind: 'format' | 'user' | 'bug';
  readonly message: string;
  readonly hint?: string;
  readonly exitCode?: number;
  readonly stack?: string;
}
