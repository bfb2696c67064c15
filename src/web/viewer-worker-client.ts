import type { InputsInfo } from '../model/inputs-info.ts';
import type { EncodedAnswer, Told } from '../model/questions.ts';
import type { FromViewerWorker } from '../viewer/messages.ts';

interface Pending {
  resolve(answer: EncodedAnswer): void;
  reject(error: Error): void;
}

/** The worker of the viewer's page, which reads dropped files and answers for them (../viewer). */
export class ViewerWorker {
  readonly #worker: Worker;
  readonly #url: string;
  readonly #pending = new Map<number, Pending>();
  readonly #replays = new Map<number, Worker>();
  #next = 0;

  constructor(url: string, told: (info: InputsInfo) => void) {
    this.#url = url;
    this.#worker = new Worker(url, { name: 'viewer' });
    this.#worker.onmessage = ({ data }: MessageEvent<FromViewerWorker>) => {
      if (data.type === 'inputs') told(data.info);
      else if (data.type === 'start replays') this.#startReplays(data.id, data.port);
      else if (data.type === 'end replays') this.#replays.get(data.id)?.terminate();
      else this.#answered(data);
    };
    this.#worker.onerror = ({ message }) => {
      for (const { reject } of this.#pending.values()) reject(new Error(message));
      this.#pending.clear();
    };
  }

  open(files: readonly File[]): void {
    this.#worker.postMessage({ type: 'open', files });
  }

  ask(path: string, query: string, abort?: AbortSignal): Promise<EncodedAnswer> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ type: 'get', id, path, query });
      abort?.addEventListener('abort', () => {
        if (!this.#pending.delete(id)) return;
        this.#worker.postMessage({ type: 'drop', id });
        reject(abort.reason);
      });
    });
  }

  #answered(told: Exclude<Told, { type: 'inputs' }>): void {
    const asked = this.#pending.get(told.id);
    this.#pending.delete(told.id);
    if (told.type === 'answer') asked?.resolve(told.answer);
    else asked?.reject(new Error(told.message));
  }

  /** The same script under the name by which it replays; the two workers speak to each other alone. */
  #startReplays(id: number, port: MessagePort): void {
    const worker = new Worker(this.#url, { name: 'replay' });
    this.#replays.set(id, worker);
    worker.postMessage(port, [port]);
  }
}
