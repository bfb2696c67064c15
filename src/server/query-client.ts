import { Worker } from 'node:worker_threads';
import { VERSION } from '../base/version.ts';
import type { JobInfo, RunEntry } from '../model/job-info.ts';
import type { Answer } from './query.ts';
import type { DeskData, FromDesk, ToDesk } from './query-messages.ts';

/** A question that could not be answered, with the HTTP status that says so. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Refusal): void;
}

/** The reading thread as the serving one sees it. */
export class DeskLink {
  readonly #thread: URL;
  readonly #inputs: readonly string[];
  readonly #nice: number;
  readonly #changed: (job: JobInfo) => void;
  readonly #waiting = new Map<number, Waiting>();
  /** Inputs that are left out, and why; null: the reader gave them up. */
  readonly #skipped = new Map<string, string | null>();
  #worker: Worker;
  #job: JobInfo = { version: VERSION, resources: [], runs: [], live: false, leftOut: null };
  #next = 0;
  #looked: () => void = () => {};

  constructor(
    thread: URL,
    { inputs, nice }: Omit<DeskData, 'skipped'>,
    changed: (job: JobInfo) => void,
  ) {
    this.#thread = thread;
    this.#inputs = inputs;
    this.#nice = nice;
    this.#changed = changed;
    this.#worker = this.#start();
  }

  get job(): JobInfo {
    return this.#job;
  }

  ask(path: string, query: string, given: { onDrop(drop: () => void): void }): Promise<Answer> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ type: 'get', id, path, query });
      given.onDrop(() => {
        if (this.#waiting.delete(id)) this.#send({ type: 'drop', id });
      });
    });
  }

  /** Reads what a recorder wrote last. */
  async look(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#looked = resolve;
      this.#send({ type: 'look' });
    });
  }

  /** Gives up an input that takes too long. Reading has no place to stop at: the thread starts anew. */
  async cancel(run: string): Promise<void> {
    const entry = this.#job.runs.find(({ id }) => id === run);
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
    const data: DeskData = { inputs: this.#inputs, nice: this.#nice, skipped: [...this.#skipped] };
    const worker = new Worker(this.#thread, { workerData: data, name: 'desk' });
    worker.on('message', (message: FromDesk) => this.#hear(message));
    worker.on('error', (error) => this.#broken(error));
    return worker;
  }

  #send(message: ToDesk): void {
    this.#worker.postMessage(message);
  }

  #hear(message: FromDesk): void {
    switch (message.type) {
      case 'job':
        this.#job = message.job;
        this.#changed(message.job);
        return;
      case 'looked':
        this.#looked();
        return;
      case 'answer':
        this.#take(message.id)?.resolve(message.answer);
        return;
      case 'failure':
        this.#take(message.id)?.reject(new Refusal(message.status, message.message));
        return;
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** Out of memory, or a mistake of ours: what was being opened takes the blame, the rest goes on. */
  #broken(error: Error): void {
    this.#fail(error.message);
    this.#looked();
    const blamed = this.#job.runs.find(({ status }) => status === 'opening');
    if (blamed) {
      this.#skipped.set(blamed.path, `reading it failed: ${error.message}`);
      this.#worker = this.#start();
      return;
    }
    const failed = (run: RunEntry) => ({ ...run, error: error.message, status: 'failed' as const });
    this.#job = { ...this.#job, runs: this.#job.runs.map(failed), live: false };
    this.#changed(this.#job);
  }

  #fail(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Refusal(503, why));
    this.#waiting.clear();
  }
}
