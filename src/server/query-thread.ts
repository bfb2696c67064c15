import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { answer, NotFound } from '../answers/answer.ts';
import { describeError, UserError } from '../base/errors.ts';
import type { EncodedAnswer } from '../model/questions.ts';
import { kernelThreadId } from '../record/threads/priority.ts';
import { ViewInputs } from './inputs.ts';
import { oneFile } from './one-file.ts';
import type { FromQueryThread, QueryThreadData, ToQueryThread } from './query-messages.ts';

/** How often a growing recording is looked at. */
const LOOK_MS = 500;
/** It is left alone so many times as long as reading it and answering took: what is recorded comes first. */
const REST = 6;
const LONGEST_REST_MS = 10_000;

// The thread that reads and analyses, so that the one that serves answers at once.
const port = parentPort!;
const { inputs, skipped, nice, lists } = workerData as QueryThreadData;
stepBack(nice);
const say = (message: FromQueryThread, move: ArrayBuffer[] = []) => port.postMessage(message, move);
const opened = new ViewInputs(inputs, (info) => say({ type: 'inputs', info }), { skipped, lists });
const underWay = new Map<number, AbortController>();
/** Since the last look. */
let busyMs = 0;
let looking: Promise<unknown> = Promise.resolve();
port.on('message', async (message: ToQueryThread) => {
  if (message.type === 'drop') return underWay.get(message.id)?.abort();
  if (message.type === 'leave') {
    looking = looking.then(() => opened.refresh());
    await looking;
    opened.leave();
    return say({ type: 'left' });
  }
  const { id } = message;
  const asker = new AbortController();
  underWay.set(id, asker);
  try {
    // Those that were given up while they waited in line cost nothing.
    await new Promise(setImmediate);
    asker.signal.throwIfAborted();
    const found = await timed(() => answered(message, asker.signal));
    say({ type: 'answer', id, answer: found }, [found.bytes.buffer]);
  } catch (error) {
    if (asker.signal.aborted) return;
    const status = error instanceof NotFound ? 404 : error instanceof UserError ? 400 : 500;
    say({ type: 'failure', id, status, message: describeError(error) });
  } finally {
    underWay.delete(id);
  }
});
const opening = opened.open();
let following = false;
const follow = async () => {
  following = opened.mayGrow;
  if (!following) return;
  const restMs = Math.min(busyMs * REST, LONGEST_REST_MS);
  busyMs = 0;
  await delay(Math.max(LOOK_MS, restMs));
  looking = looking.then(() => timed(() => opened.refresh()));
  await looking;
  // Pages ask for what is new by now: their answers count for the next rest.
  setTimeout(follow, LOOK_MS);
};
await opening;
await follow();

async function answered(
  message: Extract<ToQueryThread, { type: 'get' | 'open' | 'save' }>,
  signal: AbortSignal,
): Promise<EncodedAnswer> {
  const encoder = new TextEncoder();
  switch (message.type) {
    case 'get':
      return answer(opened, message.path, message.query, signal);
    case 'open': {
      await opening;
      const run = await opened.add(message.path);
      if (!following) void follow();
      return { kind: 'json', bytes: encoder.encode(JSON.stringify({ run })) };
    }
    case 'save':
      return { kind: 'html', bytes: encoder.encode((await oneFile(opened)).join('')) };
  }
}

async function timed<T>(work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    busyMs += performance.now() - started;
  }
}

/** Behind a recording, whose sampling nothing may disturb. */
function stepBack(nice: number): void {
  const thread = kernelThreadId();
  if (nice === 0 || thread === null) return;
  try {
    setPriority(thread, nice);
  } catch {}
}
