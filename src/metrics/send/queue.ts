import type { Sample } from '../samples.ts';

/** Samples that wait for a server, the oldest first; when there are too many, the oldest are let go. */
export class SampleQueue {
  readonly #most: number;
  /** Each what was said at one moment. */
  #chunks: (readonly Sample[])[] = [];
  #size = 0;
  #onTheirWay = 0;
  /** Sent, and the server may have them: nobody can say. */
  readonly #inDoubt = new WeakSet<readonly Sample[]>();
  /** Let go because there were too many. */
  overflowed = 0;
  /** Those of them that the server may have. */
  overflowedInDoubt = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: readonly Sample[]): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // What is on its way may arrive.
    while (this.#size > this.#most && this.#chunks.length > this.#onTheirWay + 1) {
      const oldest = this.#chunks.splice(this.#onTheirWay, 1);
      this.#size -= oldest[0]!.length;
      this.overflowed += oldest[0]!.length;
      this.overflowedInDoubt += this.inDoubt(oldest);
    }
  }

  /** The first ones, to be sent: at least one, then as many as are allowed. They stay until it is known what became of them. */
  take(chunks: number, samples: number): (readonly Sample[])[] {
    const taken: (readonly Sample[])[] = [];
    let size = 0;
    for (const chunk of this.#chunks.slice(0, chunks)) {
      size += chunk.length;
      if (taken.length > 0 && size > samples) break;
      taken.push(chunk);
    }
    this.#onTheirWay = taken.length;
    return taken;
  }

  /** No answer came to them that says what became of them. */
  doubt(chunks: readonly (readonly Sample[])[]): void {
    for (const chunk of chunks) this.#inDoubt.add(chunk);
  }

  /** How many samples of these, or of all, are in doubt. */
  inDoubt(chunks: readonly (readonly Sample[])[] = this.#chunks): number {
    return chunks.reduce((sum, chunk) => sum + (this.#inDoubt.has(chunk) ? chunk.length : 0), 0);
  }

  /** They have arrived, or not: until they are done with they wait like all others. */
  putBack(): void {
    this.#onTheirWay = 0;
  }

  /** The first ones are done with. */
  done(chunks: readonly (readonly Sample[])[]): void {
    for (const chunk of chunks) this.#size -= chunk.length;
    this.#chunks = this.#chunks.slice(chunks.length);
  }

  /** One that is too large for a server, as two. */
  halve(chunk: readonly Sample[]): void {
    const middle = Math.ceil(chunk.length / 2);
    this.#chunks.splice(0, 1, chunk.slice(0, middle), chunk.slice(middle));
  }
}
