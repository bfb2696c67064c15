import { quantileSorted } from './stats.ts';

/** So many values are kept as they are; beyond, only how many lie in each bucket. */
const EXACT = 4096;
/** Neighbouring buckets differ by 1 %: a quantile is right to half of that. */
const GROWTH = Math.log(1.01);
const LEAST = Math.log(1e-9);
const BUCKETS = Math.ceil((Math.log(1e19) - LEAST) / GROWTH);

/** Quantiles of any number of values in a memory that does not grow with them; smallest, largest and sum are exact. */
export class Distribution {
  count = 0;
  sum = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  readonly #kept: number[] = [];
  #sorted: Float64Array | null = null;
  #buckets: Float64Array | null = null;
  #zeros = 0;

  /** None below zero. */
  add(value: number): void {
    this.count++;
    this.sum += value;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
    this.#sorted = null;
    if (this.#kept.length < EXACT) this.#kept.push(value);
    if (this.count <= EXACT) return;
    if (!this.#buckets) {
      this.#buckets = new Float64Array(BUCKETS);
      for (const one of this.#kept) this.#toBucket(one);
    }
    this.#toBucket(value);
  }

  /** Whether quantiles are exact too. */
  get exact(): boolean {
    return this.count <= EXACT;
  }

  /** NaN where there are no values. */
  quantile(q: number): number {
    if (this.exact) return quantileSorted(this.#inOrder(), q);
    const wanted = q * (this.count - 1);
    let seen = this.#zeros;
    if (wanted < seen) return 0;
    for (let i = 0; i < BUCKETS; i++) {
      seen += this.#buckets![i]!;
      if (wanted < seen) return Math.min(this.max, Math.max(this.min, middleOf(i)));
    }
    return this.max;
  }

  get median(): number {
    return this.quantile(0.5);
  }

  /** The median of all but one value; where they are not kept, of all. */
  medianWithout(value: number): number {
    if (!this.exact) return this.median;
    const sorted = this.#inOrder();
    const at = sorted.indexOf(value);
    const rest = sorted.filter((_, i) => i !== at);
    return quantileSorted(rest, 0.5);
  }

  /** The median distance from the median: how far apart values usually are. */
  get deviation(): number {
    const middle = this.median;
    const apart = new Distribution();
    if (this.exact) {
      for (const value of this.#kept) apart.add(Math.abs(value - middle));
      return apart.median;
    }
    const weighted: [distance: number, count: number][] = [[middle, this.#zeros]];
    for (const [i, count] of this.#buckets!.entries()) {
      if (count > 0) weighted.push([Math.abs(middleOf(i) - middle), count]);
    }
    weighted.sort(([a], [b]) => a - b);
    let seen = 0;
    for (const [distance, count] of weighted) {
      seen += count;
      if (seen * 2 >= this.count) return distance;
    }
    return Number.NaN;
  }

  #inOrder(): Float64Array {
    this.#sorted ??= Float64Array.from(this.#kept).sort();
    return this.#sorted;
  }

  #toBucket(value: number): void {
    if (value <= 0) this.#zeros++;
    else {
      const at = Math.floor((Math.log(value) - LEAST) / GROWTH);
      this.#buckets![Math.min(BUCKETS - 1, Math.max(0, at))]!++;
    }
  }
}

const middleOf = (bucket: number) => Math.exp(LEAST + (bucket + 0.5) * GROWTH);
