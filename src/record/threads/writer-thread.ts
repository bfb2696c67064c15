import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { describeError, errnoCode } from '../../base/errors.ts';
import { WindowTaker } from '../../metrics/window/window-taker.ts';
import { RecordingWriter } from '../../model/disk/writer.ts';
import type { TableSpec } from '../../model/schema.ts';
import type { Batch } from '../../model/table.ts';
import { GPU_WORD } from './gpu-messages.ts';
import type { FromWriter, ToWriter } from './messages.ts';
import type { WriterThreadData } from './threads.ts';
import { UpToMoment } from './up-to-moment.ts';

/**
 * The writing thread: everything that can wait for a disk happens here. When the disk fails, it
 * says so once and lets everything after go, so that neither sampling nor the workload suffers.
 */

/** Against a crash of the machine; a crash of the recorder loses nothing that was written. */
const SYNC_MS = 10_000;

const { folder, maxBytes, signal, inbox, outlet, windows, ofOneMoment } =
  workerData as WriterThreadData;
const words = new Int32Array(signal);
const tell = (message: FromWriter) => parentPort!.postMessage(message);

let writer: RecordingWriter | null = new RecordingWriter(folder, maxBytes);
let folding = false;
/** Metrics are of what is written, and nobody else has all of it. */
let taker =
  windows && new WindowTaker(windows.lengthNs, (window) => windows.inlet.postMessage(window));

/** Figures for others must not harm the recording. */
function measure(step: (taker: WindowTaker) => void): void {
  if (!taker) return;
  try {
    step(taker);
  } catch (error) {
    taker = null;
    tell({ type: 'unmeasured', text: describeError(error) });
  }
}

/** Runs a step of writing; a failure ends all writing. */
function attempt(step: (writer: RecordingWriter) => void): void {
  if (!writer) return;
  try {
    step(writer);
  } catch (error) {
    const failed = writer;
    writer = null;
    tell({ type: 'failed', text: describeError(error), code: errnoCode(error) ?? null });
    try {
      failed.close();
    } catch {}
  }
}

/** One step at a time, messages first: a flush never waits for a long rewrite. */
function foldStep(): void {
  attempt((w) => {
    folding = w.fold();
  });
  if (folding && writer) setImmediate(foldStep);
}

const syncTimer = setInterval(() => attempt((w) => w.sync()), SYNC_MS);

function keep(spec: TableSpec, batch: Batch): void {
  attempt((w) => w.append(spec, batch));
  measure((t) => t.take(spec, batch));
}

const upTo = ofOneMoment ? new UpToMoment(keep) : null;

/** `word` is where its sender looks how much of his is written. */
function take(message: ToWriter, word: number): void {
  if (message.type !== 'batch') return;
  if (upTo) upTo.take(message.spec, message.batch);
  else keep(message.spec, message.batch);
  Atomics.add(words, word, 1);
  if (!folding) foldStep();
}

outlet?.on('message', (message: ToWriter) => take(message, GPU_WORD));

inbox.on('message', (message: ToWriter) => {
  if (message.type === 'batch') {
    take(message, 1);
    return;
  }
  if (message.type === 'moment') {
    upTo?.end(message.time);
    return;
  }
  // The GPU thread has ended before this was sent, but its last rows may still wait in their port.
  for (;;) {
    const waiting = outlet && (receiveMessageOnPort(outlet) as { message: ToWriter } | undefined);
    if (!waiting) break;
    take(waiting.message, GPU_WORD);
  }
  outlet?.close();
  upTo?.end(Number.POSITIVE_INFINITY);
  clearInterval(syncTimer);
  measure((t) => t.end());
  const foldedSeconds = writer?.foldedSeconds ?? null;
  attempt((w) => {
    w.sync();
    w.close();
  });
  tell({ type: 'closed', foldedSeconds });
  inbox.close();
});
