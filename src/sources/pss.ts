import { closeSync, openSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { GiB, KiB } from '../base/bytes.ts';
import { errnoCode } from '../base/errors.ts';
import { readText } from './proc.ts';
import type { Machine, PssReading, Source } from './source.ts';

/**
 * Proportional set sizes. The kernel walks every page to tell one (6–13 ms for each GiB, with the
 * process's memory map locked), so they are read on a time budget and away from the sampling
 * thread, which carries the last figure on in between.
 */
export const pssSource: Source = {
  id: 'pss',
  title: 'proportional set sizes (/proc/PID/smaps_rollup)',
  probe(machine) {
    const own = readText(`${machine.proc}/self/smaps_rollup`);
    if (own === null) return { ok: false, reason: 'this kernel has no smaps_rollup (Linux 4.14)' };
    return { ok: true };
  },
};

/** Share of time that may go into reading. */
const BUDGET = 0.005;
const SHORTEST_PAUSE_MS = 1000;
/**
 * A run may be over within a second, and while a program loads its libraries what it gains is mostly
 * shared: the first rounds come quickly, whatever they cost. They are few.
 */
const EAGER = { rounds: 8, budget: 0.05, pauseMs: 100 };
/**
 * What a reading can cost at most. On a busy machine most of the time that passes is waiting for a
 * turn, which costs nobody anything; without this bound there would be no PSS at all then.
 */
const MOST_MS = 2;
const MOST_MS_PER_GIB = 40;
/** A process that starts or ends changes the share of all others: measure again soon, if the budget has room. */
const AFTER_CHANGE_MS = 30;

/** Readings are reported together, as each report costs as much as a reading; but not long after. */
const REPORT_MS = 20;

export class PssReader {
  readonly #machine: Machine;
  readonly #report: (readings: readonly PssReading[]) => void;
  readonly #pids = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #earliest = 0;
  #rounds = 0;
  #busy = false;
  #stopped = false;
  /** Processes of ours: while one lives it shares pages with the others, whose figures then mean nothing. */
  readonly #own = new Set<number>();
  #holds = 0;
  /** Counts what makes the figures of a round that is under way worthless. */
  #disturbed = 0;
  /** Processes whose figures are not ours to read (other users'). */
  denied = 0;

  constructor(machine: Machine, report: (readings: readonly PssReading[]) => void) {
    this.#machine = machine;
    this.#report = report;
  }

  add(pid: number): void {
    this.#pids.add(pid);
    this.#schedule(AFTER_CHANGE_MS);
  }

  remove(pid: number): void {
    this.#pids.delete(pid);
    this.#schedule(AFTER_CHANGE_MS);
  }

  /** A process of ours is about to be forked, or the work is done. */
  hold(): void {
    this.#holds++;
    this.#disturbed++;
  }

  release(): void {
    this.#holds--;
    this.#schedule(AFTER_CHANGE_MS);
  }

  addOwn(pid: number): void {
    this.#own.add(pid);
    this.#disturbed++;
    this.#schedule(AFTER_CHANGE_MS);
  }

  removeOwn(pid: number): void {
    this.#own.delete(pid);
    this.#schedule(AFTER_CHANGE_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    if (this.#stopped || this.#busy || this.#pids.size === 0) return;
    const due = Math.max(performance.now() + delayMs, this.#earliest);
    if (due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => void this.#round(), due - performance.now());
    this.#timer.unref();
  }

  #whom(): number[] {
    if (this.#own.size > 0) return [...this.#own];
    return this.#holds > 0 ? [] : [...this.#pids];
  }

  /** All processes in one go, so that the shares of one page add up to one. */
  async #round(): Promise<void> {
    this.#busy = true;
    this.#due = Number.POSITIVE_INFINITY;
    let spentMs = 0;
    let readings: PssReading[] = [];
    let reported = performance.now();
    const disturbed = this.#disturbed;
    for (const pid of this.#whom()) {
      if (this.#stopped) return;
      const started = performance.now();
      const reading = await readPss(this.#machine, pid);
      const took = performance.now() - started;
      if (this.#disturbed !== disturbed) {
        readings = [];
        break;
      }
      if (reading === 'denied') {
        this.denied++;
        this.#pids.delete(pid);
        this.#own.delete(pid);
      } else if (reading) {
        spentMs += Math.min(took, MOST_MS + (MOST_MS_PER_GIB * reading.rss) / GiB);
        readings.push(reading);
      }
      if (performance.now() - reported > REPORT_MS) {
        this.#report(readings);
        readings = [];
        reported = performance.now();
      }
    }
    if (readings.length > 0) this.#report(readings);
    this.#busy = false;
    const eager = this.#rounds++ < EAGER.rounds;
    const rest = spentMs / (eager ? EAGER.budget : BUDGET);
    this.#earliest = performance.now() + rest;
    this.#schedule(Math.max(eager ? EAGER.pauseMs : SHORTEST_PAUSE_MS, rest));
  }
}

const readAsync = promisify(read);

/**
 * Only the read walks pages, and waits where the process holds its memory map: it is done in Node's
 * thread pool, and the caller's event loop goes on. All else costs less than a trip to the pool.
 */
async function readPss(machine: Machine, pid: number): Promise<PssReading | 'denied' | null> {
  let text: string;
  try {
    const fd = openSync(`${machine.proc}/${pid}/smaps_rollup`, 'r');
    try {
      const { bytesRead, buffer } = await readAsync(fd, Buffer.allocUnsafe(4096), 0, 4096, null);
      text = buffer.toString('latin1', 0, bytesRead);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = errnoCode(error);
    return code === 'EACCES' || code === 'EPERM' ? 'denied' : null;
  }
  const pss = /^Pss:\s+(\d+) kB$/m.exec(text);
  const rss = /^Rss:\s+(\d+) kB$/m.exec(text);
  if (!pss || !rss) return null;
  return {
    pid,
    pss: Number(pss[1]) * KiB,
    rss: Number(rss[1]) * KiB,
    private: sumOf(text, /^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm) * KiB,
  };
}

const sumOf = (text: string, field: RegExp) =>
  [...text.matchAll(field)].reduce((sum, match) => sum + Number(match[1]), 0);
