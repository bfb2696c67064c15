import { Worker } from 'node:worker_threads';
import { shellJoin } from '../../../base/text.ts';
import { throughSsh, tunnelLine } from '../view/browser.ts';

export interface LiveData {
  readonly folder: string;
  readonly port: number;
}

export type FromLive =
  | { readonly type: 'listening'; readonly url: string; readonly port: number }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'finished' };

/**
 * Serves a recording while it is made. A thread of its own reads it from the disk like anybody else
 * could, so that sampling knows nothing of it; whatever happens to it, the recording goes on.
 */
export class LiveView {
  readonly #port: number;
  readonly #say: (line: string) => void;
  #worker: Worker | null = null;
  #finished: Promise<void> = Promise.resolve();

  constructor(port: number, say: (line: string) => void) {
    this.#port = port;
    this.#say = say;
  }

  start(folder: string): void {
    const data: LiveData = { folder, port: this.#port };
    const worker = new Worker(new URL('./live-view-thread.js', import.meta.url), {
      workerData: data,
    });
    this.#worker = worker;
    this.#finished = new Promise((resolve) => {
      worker.on('message', (message: FromLive) => {
        if (message.type === 'listening') this.#announce(message.url, message.port);
        else if (message.type === 'failed') {
          this.#say(`highwater: no live view: ${message.reason}`);
          resolve();
        } else {
          this.#say(`highwater: the live view has ended; highwater view ${shellJoin([folder])}`);
          resolve();
        }
      });
      worker.once('error', (error) => {
        this.#say(`highwater: the live view failed: ${error.message}`);
        resolve();
      });
    });
  }

  /** Lets pages that are open fetch the end of the run. */
  async finish(): Promise<void> {
    this.#worker?.postMessage('finish');
    await this.#finished;
    await this.#worker?.terminate();
  }

  #announce(url: string, port: number): void {
    this.#say(`highwater: live at ${url}`);
    if (throughSsh()) this.#say(`highwater: from your own machine: ${tunnelLine(port)}`);
  }
}
