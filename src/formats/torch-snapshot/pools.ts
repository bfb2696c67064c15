/** Streams and pools, each different pair once. A snapshot has a handful. */
export class Pools {
  readonly low: number[] = [];
  readonly high: number[] = [];
  /** Id of the unpickler's pair, -1: not told. */
  readonly pair: number[] = [];
  readonly #rows = new Map<string, number>();
  #last = -1;
  #lastLow = 0;
  #lastHigh = 0;
  #lastPair = 0;

  /** The row of a stream, by its halves, and a pool. */
  row(low: number, high: number, pair: number): number {
    const isLast = low === this.#lastLow && high === this.#lastHigh && pair === this.#lastPair;
    if (isLast && this.#last >= 0) return this.#last;
    const key = `${low} ${high} ${pair}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = this.low.push(low) - 1;
      this.high.push(high);
      this.pair.push(pair);
      this.#rows.set(key, row);
    }
    [this.#last, this.#lastLow, this.#lastHigh, this.#lastPair] = [row, low, high, pair];
    return row;
  }
}
