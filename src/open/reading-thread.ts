import { Worker } from 'node:worker_threads';
import type { ForeignFile } from './foreign-input.ts';
import type { FromReadThread } from './read-messages.ts';

/** Beside us in the bundle. */
const THREAD = new URL('./read-thread.js', import.meta.url);

export interface ReadListener {
  told(message: FromReadThread): void;
  /** It ended, for an error where there is one. */
  ended(error: Error | null): void;
}

/** A thread that reads one file. What it says before anybody listens is kept; until then nobody waits for it. */
export class ReadingThread {
  readonly file: ForeignFile;
  readonly #worker: Worker;
  readonly #kept: ((listener: ReadListener) => void)[] = [];
  #listener: ReadListener | null = null;

  constructor(file: ForeignFile) {
    this.file = file;
    this.#worker = new Worker(THREAD, { workerData: file, name: 'read' });
    this.#worker.on('message', (message: FromReadThread) => this.#say((to) => to.told(message)));
    this.#worker.on('error', (error: Error) => this.#say((to) => to.ended(error)));
    this.#worker.on('exit', () => this.#say((to) => to.ended(null)));
    this.#worker.unref();
  }

  listen(listener: ReadListener): void {
    this.#worker.ref();
    this.#listener = listener;
    for (const say of this.#kept.splice(0)) say(listener);
  }

  stop(): void {
    void this.#worker.terminate();
  }

  #say(say: (listener: ReadListener) => void): void {
    if (this.#listener) say(this.#listener);
    else this.#kept.push(say);
  }
}

let early: ReadingThread | null = null;

/** Begins to read a file that will be asked for: a thread takes as long to start as the rest of the program takes to load. */
export function readEarly(file: ForeignFile): void {
  early = new ReadingThread(file);
}

/** The thread that reads a file, which may be under way; one that was begun for another file is stopped. */
export function readingThread(file: ForeignFile): ReadingThread {
  const begun = early;
  early = null;
  if (begun && isSame(begun.file, file)) return begun;
  begun?.stop();
  return new ReadingThread(file);
}

/** What is not given is no difference. */
const isSame = (one: ForeignFile, other: ForeignFile) => textOf(one) === textOf(other);
const textOf = ({ path, name, packed, size, hints }: ForeignFile) =>
  JSON.stringify([
    path,
    name,
    packed,
    size,
    Object.entries(hints)
      .filter(([, hint]) => hint !== undefined)
      .sort(),
  ]);
