import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { SECOND_NS } from '../../base/time.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import { LiveFigures } from '../run/live-figures.ts';
import { BatchSender } from './batch-sender.ts';
import { runClock } from './clock.ts';
import type { FromSampler, ToSampler, ToWriter } from './messages.ts';
import { Pacer } from './pacer.ts';
import { kernelThreadId, raisePriority } from './priority.ts';
import { Sampling } from './sampling.ts';
import type { SamplerThreadData } from './threads.ts';

/**
 * The sampling thread: sleeps until a deadline, samples, hands batches to the writing thread. It
 * never returns to its event loop while it runs, so that nothing else can come in between.
 */
const { settings, live, signal, inbox, writer } = workerData as SamplerThreadData;
const words = new Int32Array(signal);
const now = runClock(settings.origin);
const sender = new BatchSender(writer, words, 1);
const tell = (message: FromSampler) => parentPort!.postMessage(message);

const sampling = new Sampling(THIS_MACHINE, settings, new LiveFigures(live), tell, (spec, batch) =>
  sender.send(spec, batch),
);

/** Handles waiting messages; false when one of them says stop. */
function drainInbox(): boolean {
  for (;;) {
    const received = receiveMessageOnPort(inbox) as { message: ToSampler } | undefined;
    if (!received) return true;
    const { message } = received;
    // After the batches that were sent before it.
    if (message.type === 'moment') writer.postMessage(message satisfies ToWriter);
    else if (!sampling.handle(message, now())) return false;
  }
}

raisePriority();
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
  if (pacer.ticks === 1) tell({ type: 'ready', thread: kernelThreadId() });
}
const endNs = now();
sampling.end(endNs);
tell({
  type: 'stopped',
  lostRows: sender.lostRows,
  sampling: {
    askedHz: settings.rateHz,
    reachedHz: pacer.ticks / ((endNs - startNs) / SECOND_NS),
    ticks: pacer.ticks,
    missed: pacer.missed,
    latenessMs: pacer.latenessMs(),
  },
});
writer.postMessage({ type: 'close' } satisfies ToWriter);
