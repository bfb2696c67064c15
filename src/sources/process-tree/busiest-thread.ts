import { readdirSync } from 'node:fs';
import { processorTime, readText, TICK_NS } from '../proc.ts';

/** Threads that did less than this since the last look make nobody busy, and are not looked at one by one. */
const OTHERS_WORKED_NS = 3 * TICK_NS;
/** A thread's figures cost 20 µs to read; those of a pool are alike. */
const MOST_THREADS = 64;

/**
 * For how long a process ran, or would have run had there been a processor, by its busiest thread since each look at
 * it. The kernel tells of a whole process only what it ran; what it waited for, thread by thread.
 */
export class BusiestThread {
  readonly #folder: string;
  readonly #main: string;
  /** Of each thread that was looked at: ns that it ran and was ready to run, when it was seen last. */
  #threads = new Map<string, number>();
  #ran = { all: Number.NaN, main: Number.NaN };
  #total = 0;

  constructor(proc: string, pid: number) {
    this.#folder = `${proc}/${pid}`;
    this.#main = String(pid);
  }

  /** In ns, of all looks so far; null where the kernel does not tell. */
  look(): number | null {
    const main = schedule(`${this.#folder}/schedstat`);
    if (!main) return null;
    const all = processorTime(readText(`${this.#folder}/stat`) ?? '');
    const others = all - this.#ran.all - (main.ran - this.#ran.main);
    this.#ran = { all, main: main.ran };
    const busy = new Map([[this.#main, main.busy]]);
    if (others >= OTHERS_WORKED_NS) this.#readThreads(busy);
    this.#total += this.#largestGain(busy);
    // A thread that did nothing this time is still the one that it was.
    for (const [thread, ns] of busy) this.#threads.set(thread, ns);
    if (this.#threads.size > 2 * MOST_THREADS) this.#threads = busy;
    return this.#total;
  }

  #readThreads(into: Map<string, number>): void {
    for (const thread of threadsOf(this.#folder).slice(0, MOST_THREADS)) {
      const seen = thread !== this.#main && schedule(`${this.#folder}/task/${thread}/schedstat`);
      if (seen) into.set(thread, seen.busy);
    }
  }

  /** Of a thread that is seen for the first time nobody knows when it did it; of the main one, since it began. */
  #largestGain(busy: ReadonlyMap<string, number>): number {
    let largest = 0;
    for (const [thread, ns] of busy) {
      const before = this.#threads.get(thread) ?? (thread === this.#main ? 0 : ns);
      largest = Math.max(largest, ns - before);
    }
    return largest;
  }
}

function threadsOf(folder: string): string[] {
  try {
    return readdirSync(`${folder}/task`);
  } catch {
    return [];
  }
}

/** `schedstat`: ns that a thread ran, and ns that it was ready to and did not. */
function schedule(path: string): { readonly ran: number; readonly busy: number } | null {
  const [ran, waited] = (readText(path) ?? '').split(' ').map(Number);
  // Kernels that keep no such figures have the file all the same, with zeros.
  return ran && Number.isFinite(waited) ? { ran, busy: ran + waited! } : null;
}
