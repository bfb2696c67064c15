/** Streams and pools, each different pair once. A snapshot has a handful. */
export class Pools {
  readonly low: number[] = [];
  readonly high: number[] = [];
  /** Id of the unpickler's pair, -1: not told. */
  readonly pair: number[] = [];
  readonly #rows = new Map<string, number>();
  #last = 0;

  /** The row of a stream, by its halves, and a pool. */
  row(low: number, high: number, pair: number): number {
    const last = this.#last;
    if (this.low[last] === low && this.high[last] === high && this.pair[last] === pair) return last;
    const key = `${low} ${high} ${pair}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = this.low.push(low) - 1;
      this.high.push(high);
      this.pair.push(pair);
      this.#rows.set(key, row);
    }
    this.#last = row;
    return row;
  }
}
