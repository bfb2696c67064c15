import { GiB } from '../../base/bytes.ts';
import { readText } from '../proc.ts';
import { type MallocState, mallocState } from './state.ts';

/** What malloc had in a process, and when, in ns since the recording's start. */
export interface MallocReading extends MallocState {
  readonly pid: number;
  readonly time: number;
}

/** Share of a processor's time that may go into reading: going through all chunks takes 0.3 to 1 ms for each MiB. */
const BUDGET = 0.01;
/** Of a day less often than of a minute: when the process is older by this share than at the last reading, within these bounds. */
const SHARE_OF_AGE = 1 / 240;
const SHORTEST_MS = 500;
const LONGEST_MS = 30_000;
/** Who speaks at the same pace is not to be heard in vain. */
const SOONER = 0.8;
/** What is larger is left alone. */
const LARGEST = 16 * GiB;
/** A process whose memory never adds up has another malloc, and is asked ever more rarely. */
const MOST_UNCLEAR = 8;
/** Who has told by itself what malloc has is not looked at for so long. */
const TOLD_MS = 60_000;
/** Who says what else it holds is looked at when it does; where it says nothing for so long, all the same. */
const SILENT_MS = 3000;

interface Followed {
  readonly since: number;
  /** When it may be read next. */
  due: number;
  /** How often in a row nothing could be told. */
  unclear: number;
  /** It says itself when. */
  speaks: boolean;
}

/** What malloc keeps free and has in use in each process, read again and again on a budget; for a thread of its own, as each reading takes some milliseconds. */
export class MallocReader {
  readonly #proc: string;
  readonly #pageSize: number;
  readonly #now: () => number;
  readonly #report: (reading: MallocReading) => void;
  readonly #followed = new Map<number, Followed>();
  #timer: NodeJS.Timeout | undefined;
  #earliest = 0;

  constructor(
    machine: { readonly proc: string; readonly pageSize: number },
    now: () => number,
    report: (reading: MallocReading) => void,
  ) {
    this.#proc = machine.proc;
    this.#pageSize = machine.pageSize;
    this.#now = now;
    this.#report = report;
  }

  add(pid: number): void {
    const now = performance.now();
    this.#followed.set(pid, { since: now, due: now, unclear: 0, speaks: false });
    this.#schedule();
  }

  remove(pid: number): void {
    this.#followed.delete(pid);
  }

  /** It tells by itself. */
  told(pid: number): void {
    const one = this.#followed.get(pid);
    if (one) one.due = performance.now() + TOLD_MS;
  }

  /** It has just told what else it holds: what malloc has should be of the same moment. */
  spoke(pid: number): void {
    const one = this.#followed.get(pid);
    if (!one) return;
    one.speaks = true;
    const now = performance.now();
    if (now >= one.due && now >= this.#earliest) this.#read(pid, one);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#followed.clear();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    let [soonest, next] = [Number.POSITIVE_INFINITY, 0];
    for (const [pid, { due, speaks }] of this.#followed) {
      const at = due + (speaks ? SILENT_MS : 0);
      if (at < soonest) [soonest, next] = [at, pid];
    }
    if (!Number.isFinite(soonest)) return;
    const wait = Math.max(soonest, this.#earliest) - performance.now();
    this.#timer = setTimeout(
      () => {
        const one = this.#followed.get(next);
        if (one) this.#read(next, one);
        else this.#schedule();
      },
      Math.max(0, wait),
    );
    this.#timer.unref();
  }

  #read(pid: number, one: Followed): void {
    const used = this.#processorMs();
    const begun = this.#now();
    const state = mallocState(this.#proc, pid, this.#pageSize, LARGEST);
    const time = (begun + this.#now()) / 2;
    const now = performance.now();
    if (state === 'denied' || state === 'ended' || state === 'too large') {
      this.#followed.delete(pid);
    } else {
      const isKnown = state !== 'unclear';
      one.unclear = isKnown ? 0 : one.unclear + 1;
      const age = (now - one.since) * SHARE_OF_AGE * 2 ** Math.min(one.unclear, MOST_UNCLEAR);
      one.due = now + Math.min(Math.max(age, SHORTEST_MS), LONGEST_MS) * SOONER;
      if (isKnown) this.#report({ pid, time, ...state });
    }
    const took = this.#processorMs() - used;
    this.#earliest = now + took / BUDGET;
    this.#schedule();
  }

  /** Of this thread; on a busy machine most of the time that passes is waiting for a turn. */
  #processorMs(): number {
    const ns = Number.parseInt(readText(`${this.#proc}/thread-self/schedstat`) ?? '', 10);
    return Number.isNaN(ns) ? performance.now() : ns / 1e6;
  }
}
