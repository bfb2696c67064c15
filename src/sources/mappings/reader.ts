import { readFile } from 'node:fs/promises';
import { GiB } from '../../base/bytes.ts';
import { parseMappings } from '../mapping.ts';
import type { Machine } from '../source.ts';
import { type MappedRow, mappedRows } from './index.ts';
import { withLibraryVariables } from './library-variables.ts';

/** What a process had in memory at one moment, by kind and file. */
export interface MappedReading {
  readonly pid: number;
  /** ns since the recording's start. */
  readonly time: number;
  readonly rss: number;
  readonly rows: readonly MappedRow[];
}

/**
 * Share of time that may go into reading: the kernel walks every page (6 to 13 ms for each GiB, with the memory map locked for
 * reading). A run may be over within seconds, so at first it may be more; not for a number of readings, which imports alone would use up.
 */
const BUDGET = 0.005;
const EAGER = { untilMs: 20_000, budget: 0.05 };
/** What a reading can cost at most: on a busy machine most of the time that passes is waiting for a turn. */
const MOST_MS = 10;
const MOST_MS_PER_GIB = 40;

/** What was read so shortly before need not be read again. */
const SAME_MOMENT_MS = 100;

interface Listener {
  /** A process is about to be read: what it knows itself should be of the same moment. */
  onRead(pid: number): void;
  onReading(reading: MappedReading): void;
}

/**
 * What processes are made of when they are higher than ever: as it cannot be told afterwards, it is read at each new high, on a
 * budget, the highest first.
 */
export class MappingReader {
  readonly #machine: Machine;
  readonly #now: () => number;
  readonly #listener: Listener;
  /** By process: resident bytes of the new high that is not read yet. */
  readonly #waiting = new Map<number, number>();
  /** Those that told by themselves what they hold: they are not asked. */
  readonly #told = new Set<number>();
  /** By process: when it was last read. */
  readonly #readAt = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  #earliest = 0;
  readonly #eagerUntil = performance.now() + EAGER.untilMs;
  #busy = false;
  #stopped = false;

  /** `now`: ns since the recording's start. */
  constructor(machine: Machine, now: () => number, listener: Listener) {
    this.#machine = machine;
    this.#now = now;
    this.#listener = listener;
  }

  /** A process is clearly larger than when this was last said of it. */
  rose(pid: number, rss: number): void {
    this.#waiting.set(pid, rss);
    this.#told.delete(pid);
    this.#schedule();
  }

  /** It has just told by itself what it holds: its mappings should be of the same moment. */
  told(pid: number): void {
    const since = performance.now() - (this.#readAt.get(pid) ?? Number.NEGATIVE_INFINITY);
    if (this.#waiting.has(pid) || since < SAME_MOMENT_MS) return;
    this.#waiting.set(pid, 0);
    this.#told.add(pid);
    this.#schedule();
  }

  ended(pid: number): void {
    this.#waiting.delete(pid);
    this.#readAt.delete(pid);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#stopped || this.#busy || this.#waiting.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.#read(),
      Math.max(0, this.#earliest - performance.now()),
    );
    this.#timer.unref();
  }

  async #read(): Promise<void> {
    const [largest] = [...this.#waiting].sort((a, b) => b[1] - a[1]);
    if (!largest) return;
    const [pid, rss] = largest;
    this.#waiting.delete(pid);
    this.#busy = true;
    if (!this.#told.delete(pid)) this.#listener.onRead(pid);
    this.#readAt.set(pid, performance.now());
    const [started, time] = [performance.now(), this.#now()];
    try {
      // In the thread pool: the read waits where the process holds its memory map.
      const text = await readFile(`${this.#machine.proc}/${pid}/smaps`, 'latin1');
      const root = `${this.#machine.proc}/${pid}/root`;
      const rows = mappedRows(withLibraryVariables(parseMappings(text), root));
      const resident = rows.reduce((sum, { bytes }) => sum + bytes, 0);
      if (resident > 0 && !this.#stopped)
        this.#listener.onReading({ pid, time, rss: resident, rows });
    } catch {
      // It ended, or is another user's.
    }
    this.#busy = false;
    const took = Math.min(performance.now() - started, MOST_MS + (MOST_MS_PER_GIB * rss) / GiB);
    const now = performance.now();
    this.#earliest = now + took / (now < this.#eagerUntil ? EAGER.budget : BUDGET);
    this.#schedule();
  }
}
