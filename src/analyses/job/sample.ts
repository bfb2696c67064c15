/** Some of any number of things, each as likely as any other; all of them where they are few. The same things give the same ones. */
export class Sample<T> {
  readonly #most: number;
  readonly #kept: T[] = [];
  #seen = 0;
  #state = 0x2545f491;

  constructor(most: number) {
    this.#most = most;
  }

  add(one: T): void {
    this.#seen++;
    if (this.#kept.length < this.#most) {
      this.#kept.push(one);
      return;
    }
    const at = Math.floor(this.#random() * this.#seen);
    if (at < this.#most) this.#kept[at] = one;
  }

  get all(): readonly T[] {
    return this.#kept;
  }

  /** xorshift: any will do, as long as it is the same each time. */
  #random(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 2 ** 32;
  }
}
