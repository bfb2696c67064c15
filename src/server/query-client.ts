import { Worker } from 'node:worker_threads';
import { VERSION } from '../base/version.ts';
import type { InputInfo, InputsInfo } from '../model/inputs-info.ts';
import type { EncodedAnswer } from '../model/questions.ts';
import type { FromQueryThread, QueryThreadData, ToQueryThread } from './query-messages.ts';

/** Beside us in the bundle. */
const THREAD = new URL('./query-thread.js', import.meta.url);

/** A question that could not be answered, with the HTTP status that says so. */
export class QueryError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface PendingQuery {
  resolve(answer: EncodedAnswer): void;
  reject(error: QueryError): void;
}

/** The reading thread as the serving one sees it. */
export class QueryClient {
  readonly #inputs: string[];
  readonly #nice: number;
  readonly #lists: boolean;
  readonly #changed: (info: InputsInfo) => void;
  readonly #waiting = new Map<number, PendingQuery>();
  /** Inputs that are left out, and why; null: the reader gave them up. */
  readonly #skipped = new Map<string, string | null>();
  #worker: Worker;
  #info: InputsInfo = { version: VERSION, resources: [], runs: [], live: false, leftOut: null };
  #next = 0;
  #left: () => void = () => {};

  constructor(
    { inputs, nice, lists }: Omit<QueryThreadData, 'skipped'>,
    changed: (info: InputsInfo) => void,
  ) {
    this.#inputs = [...inputs];
    this.#nice = nice;
    this.#lists = lists;
    this.#changed = changed;
    this.#worker = this.#start();
  }

  get info(): InputsInfo {
    return this.#info;
  }

  ask(
    path: string,
    query: string,
    given: { onDrop(drop: () => void): void },
  ): Promise<EncodedAnswer> {
    return this.#question((id) => ({ type: 'get', id, path, query }), given);
  }

  /** One more input; answers with its run. */
  async open(path: string): Promise<EncodedAnswer> {
    const answer = await this.#question((id) => ({ type: 'open', id, path }));
    // Should the thread start anew, runs keep their numbers.
    if (!this.#inputs.includes(path)) this.#inputs.push(path);
    return answer;
  }

  /** All that is open as one file. */
  save(): Promise<EncodedAnswer> {
    return this.#question((id) => ({ type: 'save', id }));
  }

  #question(
    message: (id: number) => ToQueryThread,
    given?: { onDrop(drop: () => void): void },
  ): Promise<EncodedAnswer> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send(message(id));
      given?.onDrop(() => {
        if (this.#waiting.delete(id)) this.#send({ type: 'drop', id });
      });
    });
  }

  /** Reads what a recorder wrote last, and tells pages what to fetch before we go. */
  async leave(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#left = resolve;
      this.#send({ type: 'leave' });
    });
  }

  /** Gives up an input that takes too long. Reading has no place to stop at: the thread starts anew. */
  async cancel(run: string): Promise<void> {
    const entry = this.#info.runs.find(({ id }) => id === run);
    if (!entry || (entry.status !== 'opening' && entry.status !== 'waiting')) return;
    this.#skipped.set(entry.path, null);
    await this.#worker.terminate();
    this.#fail('the input was given up');
    this.#worker = this.#start();
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
    this.#fail('the server is closing');
  }

  #start(): Worker {
    const data: QueryThreadData = {
      inputs: this.#inputs,
      nice: this.#nice,
      lists: this.#lists,
      skipped: [...this.#skipped],
    };
    const worker = new Worker(THREAD, { workerData: data, name: 'query' });
    worker.on('message', (message: FromQueryThread) => this.#hear(message));
    worker.on('error', (error) => this.#broken(error));
    return worker;
  }

  #send(message: ToQueryThread): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromQueryThread): void {
    switch (message.type) {
      case 'inputs':
        this.#info = message.info;
        this.#changed(message.info);
        return;
      case 'left':
        this.#left();
        return;
      case 'answer':
        this.#take(message.id)?.resolve(message.answer);
        return;
      case 'failure':
        this.#take(message.id)?.reject(new QueryError(message.status, message.message));
        return;
    }
  }

  #take(id: number): PendingQuery | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** Out of memory, or a mistake of ours: what was being opened takes the blame, the rest goes on. */
  #broken(error: Error): void {
    this.#fail(error.message);
    this.#left();
    const blamed = this.#info.runs.find(({ status }) => status === 'opening');
    if (blamed) {
      this.#skipped.set(blamed.path, `reading it failed: ${error.message}`);
      this.#worker = this.#start();
      return;
    }
    const failed = (run: InputInfo) => ({
      ...run,
      error: error.message,
      status: 'failed' as const,
    });
    this.#info = { ...this.#info, runs: this.#info.runs.map(failed), live: false };
    this.#changed(this.#info);
  }

  #fail(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new QueryError(503, why));
    this.#waiting.clear();
  }
}
