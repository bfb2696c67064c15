/** A small seeded generator (mulberry32): the same numbers on every machine. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same with draws of several kinds. */
export class Random {
  /** In [0, 1). */
  readonly uniform: () => number;
  #spare = Number.NaN;

  constructor(seed: number) {
    this.uniform = random(seed);
    // Neighbouring seeds start alike; a few rounds part them.
    for (let i = 0; i < 4; i++) this.uniform();
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** Evenly spread over orders of magnitude. */
  logBetween(low: number, high: number): number {
    return Math.exp(this.between(Math.log(low), Math.log(high)));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.uniform() * items.length)]!;
  }

  /** Standard normal, by Marsaglia's polar method, which yields two at a time. */
  normal(): number {
    if (!Number.isNaN(this.#spare)) {
      const spare = this.#spare;
      this.#spare = Number.NaN;
      return spare;
    }
    for (;;) {
      const u = 2 * this.uniform() - 1;
      const v = 2 * this.uniform() - 1;
      const square = u * u + v * v;
      if (square === 0 || square >= 1) continue;
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spare = v * scale;
      return u * scale;
    }
  }
}
