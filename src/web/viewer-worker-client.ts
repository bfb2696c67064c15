import type { EncodedAnswer, Told } from '../model/questions.ts';

interface Pending {
  resolve(answer: EncodedAnswer): void;
  reject(error: Error): void;
}

/** The worker of the viewer's page, which reads dropped files and answers for them (../viewer). */
export class ViewerWorker {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #next = 0;

  constructor(url: string, told: (message: Extract<Told, { type: 'inputs' }>['info']) => void) {
    this.#worker = new Worker(url, { name: 'viewer' });
    this.#worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if (data.type === 'inputs') return told(data.info);
      const asked = this.#pending.get(data.id);
      this.#pending.delete(data.id);
      if (data.type === 'answer') asked?.resolve(data.answer);
      else asked?.reject(new Error(data.message));
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
}
