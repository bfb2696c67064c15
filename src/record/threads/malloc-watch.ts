import { Worker } from 'node:worker_threads';
import type { MallocReading } from '../../sources/malloc/reader.ts';
import { pageSize } from '../../sources/page-size.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import type { ClockOrigin } from './messages.ts';

export interface MallocThreadData {
  readonly origin: ClockOrigin;
  readonly pageSize: number;
}

export interface ToMalloc {
  readonly what: 'add' | 'remove' | 'told' | 'spoke';
  readonly pid: number;
}

/** Shorter processes have no trend that it could serve, and pay for no thread. */
const AFTER_MS = 2000;
/** Agents tell more often; the thread need not hear of each time. */
const TOLD_MS = 20_000;

/** The thread that reads what malloc has in processes, as the main thread sees it; it starts with the first process that lives on. */
export class MallocWatch {
  readonly #origin: ClockOrigin;
  readonly #report: (reading: MallocReading) => void;
  readonly #young = new Map<number, NodeJS.Timeout>();
  readonly #toldAt = new Map<number, number>();
  #worker: Worker | null = null;
  #over = false;

  constructor(origin: ClockOrigin, report: (reading: MallocReading) => void) {
    this.#origin = origin;
    this.#report = report;
  }

  add(pid: number): void {
    const timer = setTimeout(() => {
      this.#young.delete(pid);
      this.#post({ what: 'add', pid });
    }, AFTER_MS);
    this.#young.set(pid, timer.unref());
  }

  remove(pid: number): void {
    const young = this.#young.get(pid);
    this.#toldAt.delete(pid);
    if (young) clearTimeout(young);
    if (!this.#young.delete(pid)) this.#post({ what: 'remove', pid });
  }

  /** Its agent has told what malloc has. */
  told(pid: number): void {
    const now = performance.now();
    if (this.#young.has(pid) || now - (this.#toldAt.get(pid) ?? -TOLD_MS) < TOLD_MS) return;
    this.#toldAt.set(pid, now);
    this.#post({ what: 'told', pid });
  }

  /** Its agent has told what else it holds. */
  spoke(pid: number): void {
    if (!this.#young.has(pid)) this.#post({ what: 'spoke', pid });
  }

  stop(): void {
    this.#over = true;
    for (const timer of this.#young.values()) clearTimeout(timer);
    void this.#worker?.terminate();
  }

  #post(message: ToMalloc): void {
    if (this.#over) return;
    this.#worker ??= this.#start();
    this.#worker?.postMessage(message);
  }

  /** Without it nothing is told of malloc, and all else goes on. */
  #start(): Worker | null {
    const workerData: MallocThreadData = {
      origin: this.#origin,
      pageSize: pageSize(THIS_MACHINE.proc),
    };
    try {
      const url = new URL('./malloc-thread.js', import.meta.url);
      const worker = new Worker(url, { workerData, name: 'malloc-thread' });
      worker.unref();
      worker.on('message', (reading: MallocReading) => {
        if (!this.#over) this.#report(reading);
      });
      worker.on('error', () => this.stop());
      return worker;
    } catch {
      this.#over = true;
      return null;
    }
  }
}
