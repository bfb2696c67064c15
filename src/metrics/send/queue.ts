import type { Sample } from '../samples.ts';

/** Samples that wait for a server, the oldest first; when there are too many, the oldest are let go. */
export class SampleQueue {
  readonly #most: number;
  /** Each what was said at one moment. */
  #chunks: (readonly Sample[])[] = [];
  #size = 0;
  /** Let go because there were too many. */
  overflowed = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: readonly Sample[]): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size > this.#most && this.#chunks.length > 1) {
      this.overflowed += this.#chunks[0]!.length;
      this.#remove(1);
    }
  }

  /** The first ones: at least one, then as many as are allowed. */
  first(chunks: number, samples: number): (readonly Sample[])[] {
    const taken: (readonly Sample[])[] = [];
    let size = 0;
    for (const chunk of this.#chunks.slice(0, chunks)) {
      size += chunk.length;
      if (taken.length > 0 && size > samples) break;
      taken.push(chunk);
    }
    return taken;
  }

  /** They are done with; those that were let go meanwhile are gone already. */
  done(chunks: readonly (readonly Sample[])[]): void {
    const gone = new Set(chunks);
    let count = 0;
    while (count < this.#chunks.length && gone.has(this.#chunks[count]!)) count++;
    this.#remove(count);
  }

  /** One that is too large for a server, as two. */
  halve(chunk: readonly Sample[]): void {
    if (this.#chunks[0] !== chunk) return;
    const middle = Math.ceil(chunk.length / 2);
    this.#chunks.splice(0, 1, chunk.slice(0, middle), chunk.slice(middle));
  }

  #remove(chunks: number): void {
    for (const chunk of this.#chunks.slice(0, chunks)) this.#size -= chunk.length;
    this.#chunks = this.#chunks.slice(chunks);
  }
}
