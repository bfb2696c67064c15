import { SECOND_NS } from '../../../base/time.ts';

/** Processes of others are looked at in turns, all of them in this time; the workload's each time. */
export const TURN_NS = SECOND_NS;
/** One whose memory moved is looked at each time until it has been still for so long. */
const LIVELY_NS = 3 * SECOND_NS;
/** Shares of a processor that may go into others. Where it does not do, their turns take longer. */
const TURNS_BUDGET = 0.006;
const LIVELY_BUDGET = 0.002;
/** What is not used up is saved for no longer. */
const SAVED_NS = SECOND_NS / 2;
/** What was too much is made up for by waiting, but no longer. */
const OWED_NS = 3 * SECOND_NS;
/** A whole turn, but for what adding up tenths leaves out. */
const A_TURN = 1 - 1e-6;

/** In ms, from whenever. */
export interface Clocks {
  passed(): number;
  /** What this thread used of the processors; NaN where that is not told. */
  processor(): number;
}

export interface Looked {
  /** Of the recorder's own tree. */
  readonly ours: boolean;
  /** When its memory was last seen to move. */
  moved: number;
}

/** Whom to look at when: the workload each time, of the others those whose memory moves, and each in its turn, as far as time goes. */
export class Turns<Process extends Looked> {
  readonly #look: (process: Process, time: number) => void;
  readonly #ours = new Set<Process>();
  readonly #lively = new Set<Process>();
  /** In the order in which their turns come: who had one goes to the end. */
  readonly #others = new Set<Process>();
  readonly #forTurns: Purse;
  readonly #forLively: Purse;
  #last = Number.NEGATIVE_INFINITY;
  /** Turns that are due, and a part of one. */
  #due = 0;

  /** By the clocks it is measured what is spent on others. */
  constructor(look: (process: Process, time: number) => void, clocks: Clocks) {
    this.#look = look;
    this.#forTurns = new Purse(TURNS_BUDGET, clocks);
    this.#forLively = new Purse(LIVELY_BUDGET, clocks);
  }

  add(process: Process): void {
    (process.ours ? this.#ours : this.#others).add(process);
  }

  remove(process: Process): void {
    for (const set of [this.#ours, this.#lively, this.#others]) set.delete(process);
  }

  /** Whatever it takes. */
  lookAtAll(time: number): void {
    for (const process of [...this.#ours, ...this.#others]) this.#lookAt(process, time);
    this.#last = time;
  }

  lookAround(time: number): void {
    for (const process of this.#ours) this.#look(process, time);
    const since = Math.min(TURN_NS, time - this.#last);
    this.#last = time;
    this.#due = Math.min(this.#others.size, this.#due + (this.#others.size * since) / TURN_NS);
    this.#forLively.spend(since, (left) => this.#lookAtLively(time, left));
    this.#forTurns.spend(since, (left) => this.#takeTurns(time, left));
  }

  #lookAtLively(time: number, left: () => boolean): void {
    for (const process of [...this.#lively]) {
      if (time - process.moved >= LIVELY_NS) {
        this.#lively.delete(process);
        continue;
      }
      if (!left()) break;
      // The next time those come first that had to wait.
      this.#lively.delete(process);
      this.#lively.add(process);
      this.#look(process, time);
    }
  }

  #takeTurns(time: number, left: () => boolean): void {
    for (const process of this.#others) {
      if (this.#due < A_TURN || !left()) break;
      this.#due--;
      this.#others.delete(process);
      this.#others.add(process);
      // Those that move may have to wait for a look of their own, but never for their turn.
      this.#lookAt(process, time);
    }
  }

  #lookAt(process: Process, time: number): void {
    this.#look(process, time);
    if (!process.ours && process.moved === time) this.#lively.add(process);
  }
}

/** Time that comes in as a share of all time, and is spent in pieces whose cost is known afterwards. */
class Purse {
  readonly #share: number;
  readonly #clocks: Clocks;
  #ns = 0;
  #spentMs = 0;
  #processorThen = Number.NaN;

  constructor(share: number, clocks: Clocks) {
    this.#share = share;
    this.#clocks = clocks;
  }

  spend(since: number, on: (left: () => boolean) => void): void {
    const { passed, processor } = this.#clocks;
    const processorNow = processor();
    this.#settle(processorNow);
    this.#processorThen = processorNow;
    this.#ns = Math.min(SAVED_NS * this.#share, this.#ns + since * this.#share);
    const started = passed();
    const until = started + this.#ns / 1e6;
    on(() => passed() < until);
    this.#spentMs = passed() - started;
  }

  /** Time that passed is no cost where a busy machine let us wait: more than all work since then it cannot have been. */
  #settle(processorNow: number): void {
    const most = processorNow - this.#processorThen;
    const ms = Number.isNaN(most) ? this.#spentMs : Math.min(most, this.#spentMs);
    this.#ns = Math.max(-OWED_NS * this.#share, this.#ns - ms * 1e6);
  }
}
