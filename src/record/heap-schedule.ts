/** Before this a program still loads and compiles itself. */
const WARM_UP_SECONDS = 3;
const FIRST_INTERVAL_SECONDS = 3;
const RETRY_SECONDS = 1;
/** A program stands still while its heap is written down: at most this share of its time. */
const MOST_SHARE = 0.3;

/**
 * When to take heaps of a run whose end nobody knows: at first often, and each time there are too many,
 * every other one goes and the pauses double, so that those that stay are spread over the run.
 */
export class HeapSchedule {
  readonly #most: number;
  #interval: number;
  #warmUp = WARM_UP_SECONDS;
  #times: number[] = [];
  #lastCost = 0;
  #earliest = 0;

  /** `duration`: where the end is known. */
  constructor(most: number, duration: number | null) {
    this.#most = most;
    this.#interval = FIRST_INTERVAL_SECONDS;
    if (duration !== null) {
      // From a fifth to just before the end.
      this.#warmUp = duration * 0.2;
      this.#interval = (duration * 0.75) / Math.max(1, most - 1);
    }
  }

  /** Seconds from the workload's start to the next heap. */
  next(): number {
    const last = this.#times.at(-1);
    const due =
      last === undefined
        ? this.#warmUp
        : last + Math.max(this.#interval, this.#lastCost / MOST_SHARE);
    return Math.max(due, this.#earliest);
  }

  /** There was no program to take one of: soon again. */
  missed(at: number): void {
    this.#earliest = at + RETRY_SECONDS;
  }

  /** A heap was taken; numbers of those, oldest first, that have become too many. */
  taken(at: number, cost: number): number[] {
    this.#times.push(at);
    this.#lastCost = cost;
    if (this.#times.length <= this.#most) return [];
    const surplus = this.#times.map((_, index) => index).filter((index) => index % 2 === 1);
    this.#times = this.#times.filter((_, index) => index % 2 === 0);
    this.#interval *= 2;
    return surplus;
  }
}
