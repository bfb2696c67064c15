import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Requests } from '../analyses/allocations/replay/requests.ts';
import type {
  FromReplayThread,
  ReplayThread,
  ToReplayThread,
} from '../answers/replays/messages.ts';

/** Beside us in the bundle. */
const THREAD = new URL('./replay-thread.js', import.meta.url);

/** It starts when it is first needed, or at once. */
export class NodeReplayThread implements ReplayThread {
  #thread: Worker | null = null;
  #knows = false;

  constructor(startsAtOnce = false) {
    if (startsAtOnce) this.#started();
  }

  async *ask(requests: () => Requests, message: ToReplayThread): AsyncGenerator<FromReplayThread> {
    const thread = this.#started();
    if (!this.#knows) thread.postMessage({ type: 'program', requests: requests() });
    this.#knows = true;
    const answers = on(thread, 'message', { close: ['exit'] });
    thread.postMessage(message);
    for await (const [told] of answers) yield told as FromReplayThread;
  }

  async end(): Promise<void> {
    await this.#thread?.terminate();
  }

  #started(): Worker {
    this.#thread ??= new Worker(THREAD, { name: 'replay' });
    return this.#thread;
  }
}
