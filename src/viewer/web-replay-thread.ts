import type { Requests } from '../analyses/allocations/replay/requests.ts';
import type { FromReplayThread, ReplayThread, ToReplayThread } from '../server/replay-messages.ts';

/** The name by which the worker's own script knows that it is to replay. */
export const REPLAYS = 'replay';

/** Another worker with the same script, as there is no other file. It starts when it is first needed. */
export class WebReplayThread implements ReplayThread {
  #worker: Worker | null = null;

  async *ask(requests: () => Requests, message: ToReplayThread): AsyncGenerator<FromReplayThread> {
    const worker = this.#started(requests);
    const told: FromReplayThread[] = [];
    let wake = () => {};
    let failed: string | null = null;
    worker.onmessage = ({ data }) => {
      told.push(data as FromReplayThread);
      wake();
    };
    worker.onerror = (event) => {
      failed = event.message;
      wake();
    };
    worker.postMessage(message);
    for (;;) {
      for (const one of told.splice(0)) yield one;
      if (failed !== null) throw new Error(failed);
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (told.length > 0 || failed !== null) resolve();
      });
    }
  }

  async end(): Promise<void> {
    this.#worker?.terminate();
  }

  #started(requests: () => Requests): Worker {
    if (this.#worker) return this.#worker;
    this.#worker = new Worker(location.href, { name: REPLAYS });
    this.#worker.postMessage({ type: 'program', requests: requests() } satisfies ToReplayThread);
    return this.#worker;
  }
}
