/** Before this a program still loads and compiles itself. */
const WARM_UP_SECONDS = 3;
const FIRST_INTERVAL_SECONDS = 3;
const RETRY_SECONDS = 1;
const LONGEST_RETRY_SECONDS = 60;
/** A program stands still while its heap is written down: at most this share of its time. */
const MOST_SHARE = 0.3;

/**
 * When to take heaps of a run whose end nobody knows: more and more rarely, and each time there is one too
 * many, the one goes whose neighbours are nearest to each other, so that those that stay are spread over the
 * run. The first and the newest always stay.
 */
export class HeapSchedule {
  readonly #most: number;
  readonly #interval: number;
  readonly #warmUp: number;
  readonly #times: number[] = [];
  #lastCost = 0;
  #earliest = 0;

  /** `duration`: where the end is known. */
  constructor(most: number, duration: number | null) {
    this.#most = most;
    // From a fifth to just before the end.
    this.#warmUp = duration === null ? WARM_UP_SECONDS : duration * 0.2;
    this.#interval =
      duration === null ? FIRST_INTERVAL_SECONDS : (duration * 0.75) / Math.max(1, most - 1);
  }

  /** Seconds from the workload's start to the next heap. */
  next(): number {
    const last = this.#times.at(-1);
    if (last === undefined) return Math.max(this.#warmUp, this.#earliest);
    const share = last / Math.max(1, this.#most - 1);
    const pause = this.#times.length < this.#most ? this.#interval : share;
    const due = last + Math.max(this.#interval, pause, this.#lastCost / MOST_SHARE);
    return Math.max(due, this.#earliest);
  }

  /** There was no program to take one of, or it failed: again after so many seconds. */
  missed(at: number, seconds = RETRY_SECONDS): void {
    this.#earliest = at + Math.min(seconds, LONGEST_RETRY_SECONDS);
  }

  /** A heap was taken; the number, oldest first, of the one that has become too many; null: none has. */
  taken(at: number, cost: number): number | null {
    this.#times.push(at);
    this.#lastCost = cost;
    if (this.#times.length <= this.#most) return null;
    const gap = (i: number) => this.#times[i + 1]! - this.#times[i - 1]!;
    let surplus = this.#most === 1 ? 0 : 1;
    for (let i = 2; i < this.#times.length - 1; i++) if (gap(i) < gap(surplus)) surplus = i;
    this.#times.splice(surplus, 1);
    return surplus;
  }
}
