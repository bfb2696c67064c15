import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { describeError, UserError } from '../base/errors.ts';
import { ownThread } from '../record/threads/priority.ts';
import { Job } from './job.ts';
import type { Opener } from './opener.ts';
import { answer, NotThere } from './query.ts';
import type { DeskData, FromDesk, ToDesk } from './query-messages.ts';

/** How often a growing recording is looked at. */
const LOOK_MS = 500;

/**
 * The life of the thread that reads and analyses, so that the one that serves answers at once. The
 * command line starts it with its own way of opening things.
 */
export async function runDesk(opener: Opener): Promise<void> {
  const port = parentPort!;
  const { inputs, skipped, nice } = workerData as DeskData;
  stepBack(nice);
  const say = (message: FromDesk, move: ArrayBuffer[] = []) => port.postMessage(message, move);
  const job = new Job(inputs, opener, (info) => say({ type: 'job', job: info }), skipped);
  const dropped = new Set<number>();
  let looking: Promise<unknown> = Promise.resolve();
  port.on('message', async (message: ToDesk) => {
    if (message.type === 'drop') return void dropped.add(message.id);
    if (message.type === 'look') {
      looking = looking.then(() => job.refresh());
      await looking;
      return say({ type: 'looked' });
    }
    // Those that were given up while they waited in line cost nothing.
    await new Promise(setImmediate);
    if (dropped.delete(message.id)) return;
    const { id, path, query } = message;
    try {
      const found = await answer(job, path, query);
      say({ type: 'answer', id, answer: found }, [found.bytes.buffer]);
    } catch (error) {
      const status = error instanceof NotThere ? 404 : error instanceof UserError ? 400 : 500;
      say({ type: 'failure', id, status, message: describeError(error) });
    }
  });
  await job.open();
  const follow = async () => {
    if (!job.mayGrow) return;
    let rest = 0;
    looking = looking.then(async () => {
      rest = await job.refresh();
    });
    await looking;
    setTimeout(follow, Math.max(LOOK_MS, rest));
  };
  setTimeout(follow, LOOK_MS);
}

/** Behind a recording, whose sampling nothing may disturb. */
function stepBack(nice: number): void {
  const thread = ownThread();
  if (nice === 0 || thread === null) return;
  try {
    setPriority(thread, nice);
  } catch {}
}
