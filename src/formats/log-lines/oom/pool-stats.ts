import type { OomFigures } from '../../../model/out-of-memory.ts';
import { integer } from './message.ts';

/** What XLA's and TensorFlow's allocator says of its pool, in lines of their own before the message. */
export class PoolStats {
  #limit: number | undefined;
  #inUse: number | undefined;

  push(line: string): void {
    this.#limit = integer(line, /^\s{0,4}Limit: {1,40}(\d{1,18})\s{0,4}$/) ?? this.#limit;
    this.#inUse = integer(line, /^\s{0,4}InUse: {1,40}(\d{1,18})\s{0,4}$/) ?? this.#inUse;
  }

  explain(figures: OomFigures): OomFigures {
    const [limit, inUse] = [this.#limit, this.#inUse];
    if (limit === undefined || inUse === undefined || inUse > limit) return figures;
    const pool = { limit, limitOf: "the framework's pool", allocated: inUse };
    return { ...pool, reservedUnused: limit - inUse, ...figures };
  }
}
