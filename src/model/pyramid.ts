/** How many values each value of the next level stands for. */
const FAN = 16;

interface Level {
  readonly lowest: Uint32Array;
  readonly highest: Uint32Array;
}

/**
 * Where the lowest and the highest of any stretch of values are, without looking at all of them:
 * what lets a chart of millions of samples keep every peak at any zoom. NaN is passed over.
 */
export class Pyramid {
  readonly values: Float64Array;
  readonly #levels: Level[] = [];

  constructor(values: Float64Array) {
    this.values = values;
    for (let below: Level | null = null; ; ) {
      const length: number = below ? below.lowest.length : values.length;
      if (length <= FAN) break;
      below = this.#over(below, length);
      this.#levels.push(below);
    }
  }

  /** Indices into the values, of [from, to); both `from` where all of it is NaN. */
  extremes(from: number, to: number): { lowest: number; highest: number } {
    const best = { lowest: from, highest: from };
    let [start, end] = [from, to];
    for (let depth = 0; start < end; depth++) {
      const up = depth < this.#levels.length;
      const [inner, outer] = [Math.ceil(start / FAN), Math.floor(end / FAN)];
      if (!up || inner >= outer) {
        for (let i = start; i < end; i++) this.#take(best, depth, i);
        break;
      }
      for (let i = start; i < inner * FAN; i++) this.#take(best, depth, i);
      for (let i = outer * FAN; i < end; i++) this.#take(best, depth, i);
      [start, end] = [inner, outer];
    }
    return best;
  }

  #over(below: Level | null, length: number): Level {
    const count = Math.ceil(length / FAN);
    const level = { lowest: new Uint32Array(count), highest: new Uint32Array(count) };
    for (let at = 0; at < count; at++) {
      const first = below ? below.lowest[at * FAN]! : at * FAN;
      const best = { lowest: first, highest: first };
      const end = Math.min((at + 1) * FAN, length);
      for (let i = at * FAN; i < end; i++) {
        this.#better(best, below ? below.lowest[i]! : i, below ? below.highest[i]! : i);
      }
      level.lowest[at] = best.lowest;
      level.highest[at] = best.highest;
    }
    return level;
  }

  #take(best: { lowest: number; highest: number }, depth: number, i: number): void {
    const level = depth === 0 ? null : this.#levels[depth - 1]!;
    this.#better(best, level ? level.lowest[i]! : i, level ? level.highest[i]! : i);
  }

  #better(best: { lowest: number; highest: number }, low: number, high: number): void {
    const { values } = this;
    // Written so that anything beats NaN, and NaN beats nothing; of equals the first stays.
    if (values[low]! < values[best.lowest]! || Number.isNaN(values[best.lowest]!)) {
      if (!Number.isNaN(values[low]!)) best.lowest = low;
    }
    if (values[high]! > values[best.highest]! || Number.isNaN(values[best.highest]!)) {
      if (!Number.isNaN(values[high]!)) best.highest = high;
    }
  }
}
