import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { SECOND_NS } from '../base/time.ts';
import type { TableSpec } from '../model/schema.ts';
import type { Batch } from '../model/table.ts';
import { THIS_MACHINE } from '../sources/source.ts';
import { LiveFigures } from './live.ts';
import type { FromSampler, SamplerSettings, ToSampler, ToWriter } from './messages.ts';
import { Pacer } from './pacer.ts';
import { Sampling } from './sampling.ts';

/**
 * The sampling thread: sleeps until a deadline, samples, hands batches to the writing thread. It
 * never returns to its event loop while it runs, so that nothing else can come in between.
 */
export interface SamplerThreadData {
  readonly settings: SamplerSettings;
  readonly live: SharedArrayBuffer;
  /** [0] changes when a message waits; [1] counts batches that the writer has written. */
  readonly signal: SharedArrayBuffer;
  readonly inbox: MessagePort;
  readonly writer: MessagePort;
}

/** Batches that may wait for the disk (about two minutes) before samples are dropped and counted. */
const MAX_BACKLOG = 1500;

const { settings, live, signal, inbox, writer } = workerData as SamplerThreadData;
const words = new Int32Array(signal);
const [originSeconds, originNs] = settings.origin;

// performance.now() counts on the same clock from this thread's start, without making garbage.
const [seconds, ns] = process.hrtime();
const offsetNs = (seconds - originSeconds) * SECOND_NS + (ns - originNs) - performance.now() * 1e6;

function now(): number {
  return Math.round(performance.now() * 1e6 + offsetNs);
}

const tell = (message: FromSampler) => parentPort!.postMessage(message);

let sent = 0;
let lostRows = 0;
function deliver(spec: TableSpec, batch: Batch): void {
  if (sent - Atomics.load(words, 1) > MAX_BACKLOG) {
    lostRows += batch.rows;
    return;
  }
  sent++;
  // All columns of numbers share one piece of memory (TableBuffer).
  const numbers = batch.columns.find((c) => !Array.isArray(c)) as Float64Array | undefined;
  const transfer = numbers ? [numbers.buffer as ArrayBuffer] : [];
  writer.postMessage({ type: 'batch', spec, batch } satisfies ToWriter, transfer);
}

const sampling = new Sampling(THIS_MACHINE, settings, new LiveFigures(live), tell, deliver);

/** Handles waiting messages; false when one of them says stop. */
function drainInbox(): boolean {
  for (;;) {
    const received = receiveMessageOnPort(inbox) as { message: ToSampler } | undefined;
    if (!received) return true;
    if (!sampling.handle(received.message, now())) return false;
  }
}

/**
 * A busy machine delays threads that only wake now and then. Where we may, this thread asks to go
 * first, and with it V8's own helpers, for which a garbage collection waits in the middle of a
 * sample. Not the main thread: the workload would inherit that.
 */
function goFirst(): void {
  try {
    for (const thread of readdirSync(`${THIS_MACHINE.proc}/self/task`)) {
      if (Number(thread) !== process.pid)
        setPriority(Number(thread), constants.priority.PRIORITY_HIGHEST);
    }
  } catch {}
}

goFirst();
const startNs = now();
const pacer = new Pacer(settings.rateHz, startNs);
let seen = -1;
let running = true;

function lookAtInbox(): void {
  const posted = Atomics.load(words, 0);
  if (posted === seen) return;
  seen = posted;
  running = drainInbox();
}

while (running) {
  lookAtInbox();
  const waitMs = (pacer.deadline - now()) / 1e6;
  if (running && waitMs > 0) {
    // Woken early by a message: look at it, then wait for the rest of the time.
    if (Atomics.wait(words, 0, seen, waitMs) !== 'timed-out') continue;
    lookAtInbox(); // for messages that do not wake (RecorderThreads.send)
  }
  const time = now();
  pacer.take(time);
  sampling.tick(time, pacer.missed);
  if (pacer.ticks === 1) tell({ type: 'ready' });
}
const endNs = now();
sampling.flush(endNs);
sampling.close();
tell({
  type: 'stopped',
  lostRows,
  sampling: {
    askedHz: settings.rateHz,
    reachedHz: pacer.ticks / ((endNs - startNs) / SECOND_NS),
    ticks: pacer.ticks,
    missed: pacer.missed,
    latenessMs: pacer.latenessMs(),
  },
});
writer.postMessage({ type: 'close' } satisfies ToWriter);
