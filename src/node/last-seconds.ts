/** The largest value of the last seconds, one for each. */
export class LastSeconds {
  readonly #values: Float64Array;
  #at = 0;

  constructor(seconds: number) {
    this.#values = new Float64Array(seconds).fill(Number.NaN);
  }

  add(value: number): void {
    this.#values[this.#at++ % this.#values.length] = value;
  }

  get largest(): number {
    let largest = Number.NaN;
    for (const value of this.#values)
      if (!(value <= largest) && !Number.isNaN(value)) largest = value;
    return largest;
  }
}
