/** The largest few of any number of things. */
export class Top<T> {
  readonly #most: number;
  readonly #rank: (one: T) => number;
  readonly #kept: T[] = [];

  constructor(most: number, rank: (one: T) => number) {
    this.#most = most;
    this.#rank = rank;
  }

  add(one: T): void {
    const value = this.#rank(one);
    const kept = this.#kept;
    if (kept.length === this.#most && value <= this.#rank(kept.at(-1)!)) return;
    let at = kept.length;
    while (at > 0 && this.#rank(kept[at - 1]!) < value) at--;
    kept.splice(at, 0, one);
    if (kept.length > this.#most) kept.pop();
  }

  /** The largest first; of equal ones the first that came. */
  get all(): readonly T[] {
    return this.#kept;
  }
}
