import { Worker } from 'node:worker_threads';
import { errnoCode, FormatError, UserError } from '../base/errors.ts';
import { AddressScan } from '../model/allocations/address-scan.ts';
import { goOnFrom } from '../model/allocations/trace.ts';
import { makeRecording, type Recording } from '../model/recording.ts';
import { tableSpec } from '../model/schema.ts';
import { Table } from '../model/table.ts';
import type { ForeignFile, ReadProgress } from './foreign-input.ts';
import type { FromReadThread, ReadRecording, ToldError } from './read-messages.ts';

/** Beside us in the bundle. */
const THREAD = new URL('./read-thread.js', import.meta.url);

/** Reads a memory snapshot on a thread of its own while this one looks at its events; null where no thread can be had. */
export async function readBeside(
  file: ForeignFile,
  progress: ReadProgress,
): Promise<Recording | null> {
  const scan = new AddressScan();
  let heard = false;
  let columns: { action: Uint8Array; address: Uint32Array } | null = null;
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, { workerData: file, name: 'read' });
    thread.on('message', (told: FromReadThread) => {
      heard = true;
      if (told.type === 'columns') columns = told;
      else if (told.type === 'events') {
        if (columns) scan.take(columns.action, columns.address, told.rows);
        progress(told.bytesRead, file.size);
      } else if (told.type === 'failed') reject(errorOf(told.error));
      else resolve(recordingOf(told, scan));
    });
    // Before it says anything nothing is lost: the file is then read here.
    thread.on('error', (error) => (heard ? reject(explained(file.name, error)) : resolve(null)));
    thread.on('exit', () => resolve(null));
  });
}

function recordingOf({ run, tables, inOrder }: ReadRecording, scan: AddressScan): Recording {
  const batches = new Map(tables);
  const recording = makeRecording(
    run,
    [...batches.keys()],
    (name) => new Table(tableSpec(name), batches.get(name)!),
  );
  if (inOrder) goOnFrom(recording, scan);
  return recording;
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
