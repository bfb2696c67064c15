/** An answer as it came, to be read as often as it is needed. */
export interface KeptAnswer {
  readonly kind: 'json' | 'columns';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A trace of millions of events would be held twice: it is shown as long as its page is open, and not kept beyond. */
const LARGEST = 24 << 20;
const MOST = 96 << 20;

/** What a server said last to each question, so that pages go on when it has gone. */
export class KeptAnswers {
  readonly #answers = new Map<string, KeptAnswer>();
  #bytes = 0;

  keep(question: string, answer: KeptAnswer): void {
    this.#forget(question);
    if (answer.bytes.length > LARGEST) return;
    this.#answers.set(question, answer);
    this.#bytes += answer.bytes.length;
    // The first is the one that was asked longest ago.
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= MOST) break;
      this.#forget(oldest);
    }
  }

  get(question: string): KeptAnswer | undefined {
    return this.#answers.get(question);
  }

  #forget(question: string): void {
    this.#bytes -= this.#answers.get(question)?.bytes.length ?? 0;
    this.#answers.delete(question);
  }
}
