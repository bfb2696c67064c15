import { TABLES } from '../../model/schema.ts';
import type { TableBuffer } from '../../model/table.ts';
import type { OwnWork } from '../own-work.ts';
import type { ProcStat } from '../proc.ts';
import type { Sink, Tick } from '../source.ts';
import type { TrackedProcess } from './tracked-process.ts';

/**
 * What an agent calls the thread in which it forks (python/highwater/_fork.py): a fork bears that name from
 * its first moment on, so that it is never taken for the workload's.
 */
const OWN_NAME = 'highwater-self';

export const isOwnProcess = ({ name, execed }: Pick<ProcStat, 'name' | 'execed'>) =>
  name === OWN_NAME && !execed;

/** Processes of ours among the workload's, in a table of their own. */
export class OwnProcesses {
  readonly #table: TableBuffer;
  readonly #work: OwnWork;
  readonly #onDeath: (pid: number) => void;
  readonly #living = new Map<number, TrackedProcess>();
  /** Bytes that only it has, as measured last. */
  readonly #private = new Map<number, number>();

  constructor(sink: Sink, work: OwnWork, onDeath: (pid: number) => void) {
    this.#table = sink.table(TABLES.own_memory);
    this.#work = work;
    this.#onDeath = onDeath;
  }

  has(pid: number): boolean {
    return this.#living.has(pid);
  }

  add(process: TrackedProcess): void {
    this.#living.set(process.pid, process);
    this.#work.processes = this.#living.size;
  }

  setPrivate(pid: number, bytes: number): void {
    this.#private.set(pid, bytes);
  }

  sample(tick: Tick): void {
    for (const process of this.#living.values()) {
      if (process.read(tick) === 'ok') this.#addRow(process, tick.time);
      else this.#drop(process);
    }
  }

  /** What our work inside a process holds there; a row when that changed. */
  addInside(time: number, pid: number, bytes: number): void {
    this.#table.push([time, pid, 1, bytes, bytes]);
  }

  close(): void {
    for (const process of this.#living.values()) process.close();
    this.#living.clear();
  }

  #addRow({ pid, status }: TrackedProcess, time: number): void {
    this.#table.push([time, pid, 0, status.rss, this.#private.get(pid) ?? null]);
  }

  #drop(process: TrackedProcess): void {
    process.close();
    this.#living.delete(process.pid);
    this.#private.delete(process.pid);
    this.#work.processes = this.#living.size;
    this.#onDeath(process.pid);
  }
}
