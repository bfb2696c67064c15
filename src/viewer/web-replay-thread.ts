import type { Requests } from '../analyses/allocations/replay/requests.ts';
import type {
  FromReplayThread,
  ReplayThread,
  ToReplayThread,
} from '../answers/replays/messages.ts';
import type { ReplayWorkerWish } from './messages.ts';

/** The name by which the worker's script knows that it is to replay. */
export const REPLAYS = 'replay';

let last = 0;

/** Another worker with the same script, which the page starts when it is first needed: a worker of a file on a disk may start none. */
export class WebReplayThread implements ReplayThread {
  readonly #wish: (wish: ReplayWorkerWish, move: Transferable[]) => void;
  readonly #id = ++last;
  #port: MessagePort | null = null;

  constructor(wish: (wish: ReplayWorkerWish, move: Transferable[]) => void) {
    this.#wish = wish;
  }

  async *ask(requests: () => Requests, message: ToReplayThread): AsyncGenerator<FromReplayThread> {
    const port = this.#started(requests);
    const told: FromReplayThread[] = [];
    let wake = () => {};
    port.onmessage = ({ data }) => {
      told.push(data as FromReplayThread);
      wake();
    };
    port.postMessage(message);
    for (;;) {
      for (const one of told.splice(0)) yield one;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (told.length > 0) resolve();
      });
    }
  }

  async end(): Promise<void> {
    if (this.#port) this.#wish({ type: 'end replays', id: this.#id }, []);
  }

  #started(requests: () => Requests): MessagePort {
    if (this.#port) return this.#port;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#wish({ type: 'start replays', id: this.#id, port: port2 }, [port2]);
    port1.postMessage({ type: 'program', requests: requests() } satisfies ToReplayThread);
    return port1;
  }
}
