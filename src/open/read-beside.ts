import { errnoCode, FormatError, UserError } from '../base/errors.ts';
import { goOnFrom } from '../model/allocations/trace.ts';
import { type EventsSoFar, TraceScan } from '../model/allocations/trace-scan.ts';
import { makeRecording, type Recording } from '../model/recording.ts';
import { type TableSpec, tableSpec } from '../model/schema.ts';
import { type Batch, Table } from '../model/table.ts';
import type { ForeignFile, ReadProgress } from './foreign-input.ts';
import type { ReadRecording, ToldError } from './read-messages.ts';
import { readingThread } from './reading-thread.ts';

/** Reads a memory snapshot on a thread of its own while this one looks at its events; null where no thread can be had. */
export async function readBeside(
  file: ForeignFile,
  progress: ReadProgress,
): Promise<Recording | null> {
  const scan = new TraceScan();
  let heard = false;
  let columns: EventsSoFar | null = null;
  return new Promise((resolve, reject) => {
    readingThread(file).listen({
      told(message) {
        heard = true;
        if (message.type === 'columns') columns = message.columns;
        else if (message.type === 'events') {
          if (columns) scan.take(columns, message.rows);
          progress(message.bytesRead, file.size);
        } else if (message.type === 'failed') reject(errorOf(message.error));
        else resolve(recordingOf(message, scan));
      },
      // Before it says anything nothing is lost: the file is then read here.
      ended: (error) => (error && heard ? reject(explained(file.name, error)) : resolve(null)),
    });
  });
}

function recordingOf({ run, tables, inOrder }: ReadRecording, scan: TraceScan): Recording {
  const batches = new Map(
    tables.map(([name, all]) => [name, all.map((batch) => columnsOf(tableSpec(name), batch))]),
  );
  const recording = makeRecording(
    run,
    [...batches.keys()],
    (name) => new Table(tableSpec(name), batches.get(name)!),
  );
  if (inOrder) goOnFrom(recording, scan);
  return recording;
}

function columnsOf({ columns }: TableSpec, batch: Batch): Batch {
  const made = batch.columns.map((column, at) =>
    columns[at]!.type === 'f64' && column instanceof Uint32Array ? widened(column) : column,
  );
  return { rows: batch.rows, columns: made };
}

/** Sizes come as they were read and get wide in their own memory, which has room for that: from the last on, so that none is lost. */
function widened(narrow: Uint32Array): Float64Array {
  const wide = new Float64Array(narrow.buffer, narrow.byteOffset, narrow.length);
  for (let row = narrow.length - 1; row >= 0; row--) wide[row] = narrow[row]!;
  return wide;
}

function errorOf({ kind, message, hint, exitCode, stack }: ToldError): Error {
  if (kind === 'format') return new FormatError(message, { hint });
  if (kind === 'user') return new UserError(message, { hint, exitCode });
  return Object.assign(new Error(message), { stack });
}

function explained(name: string, error: Error): Error {
  if (errnoCode(error) !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  return new UserError(`${name} needs more memory than there is (${error.message})`, {
    hint: 'load a part of it with --events',
    cause: error,
  });
}
