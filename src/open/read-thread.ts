import { parentPort, workerData } from 'node:worker_threads';
import { FormatError, UserError } from '../base/errors.ts';
import type { EventWatch } from '../formats/input.ts';
import { torchSnapshot } from '../formats/torch-snapshot/index.ts';
import type { Recording } from '../model/recording.ts';
import { type ForeignFile, foreignInput } from './foreign-input.ts';
import type { FromReadThread, ReadRecording, ToldError } from './read-messages.ts';

// Reads one memory snapshot, whose events are looked at on another thread as they come.
const port = parentPort!;
const say = (message: FromReadThread, transfer: ArrayBuffer[] = []) =>
  port.postMessage(message, transfer);
/** As many are looked at in a few milliseconds. */
const EVENTS_TOLD = 1 << 16;

const file = workerData as ForeignFile;
let bytesRead = 0;
let told = {
  rows: 0,
  memory: null as ArrayBufferLike | null,
  sizes: undefined as ArrayBufferLike | undefined,
};
const watch: EventWatch = ({ action, address, size }, rows) => {
  if (rows - told.rows < EVENTS_TOLD) return;
  if (address.buffer !== told.memory || size?.buffer !== told.sizes) {
    say({ type: 'columns', columns: { action, address, size } });
  }
  told = { rows, memory: address.buffer, sizes: size?.buffer };
  say({ type: 'events', rows, bytesRead });
};
const progress = (done: number) => {
  bytesRead = done;
};

try {
  const recording = await torchSnapshot.read!(foreignInput(file, progress, watch));
  const read = handedOver(recording);
  say(read, ownMemory(read));
} catch (error) {
  say({ type: 'failed', error: toldError(error) });
}

function handedOver(recording: Recording): ReadRecording {
  const { run, tables } = recording;
  const { rows } = recording.table('allocations');
  // Rows of several devices may have been put into another order, and those of no device left out.
  const isSame = recording.table('allocations').u64('address').buffer === told.memory;
  return {
    type: 'recording',
    run,
    tables: tables.map((name) => [name, recording.table(name).batches]),
    inOrder: isSame && rows >= told.rows,
  };
}

/** What is not shared is handed over without a copy. */
function ownMemory({ tables }: ReadRecording): ArrayBuffer[] {
  const columns = tables.flatMap(([, batches]) => batches.flatMap((batch) => batch.columns));
  const memory = columns.map((column) => (ArrayBuffer.isView(column) ? column.buffer : null));
  return [...new Set(memory)].filter((buffer) => buffer instanceof ArrayBuffer);
}

function toldError(error: unknown): ToldError {
  if (error instanceof UserError) {
    const { message, hint, exitCode } = error;
    return { kind: error instanceof FormatError ? 'format' : 'user', message, hint, exitCode };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'bug', message, stack };
}
