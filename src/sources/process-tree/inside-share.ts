/**
 * What our work inside a process does to its size. V8 writes its heap down while the program stands still, so that nothing of what
 * changes meanwhile is the program's doing: it has what it had. Afterwards, what was gained for our work and stays is ours; and
 * garbage that V8 collected for it, which the program would still hold, counts as the program's until it holds as much again.
 */
export class InsideShare {
  /** Bytes of ours. */
  bytes = 0;
  /** To be taken off the size of the process: what is ours, less what the program lost by us. */
  shift = 0;
  /** What the program had when it was stopped, and while it stands still. */
  #level = 0;
  #standing = false;
  /** The least that the process held since, besides what we had left there before. */
  #least = 0;
  #before = 0;
  /** What the program lost by us and has not regained. */
  #lost = 0;

  begin(rss: number): void {
    this.see(rss);
    this.#before = this.bytes;
    this.#level = rss - this.shift;
    this.#least = rss - this.bytes;
    this.#standing = true;
  }

  /** Each time the size of the process was read. */
  see(rss: number): void {
    if (this.#standing) {
      this.#least = Math.min(this.#least, Math.max(0, rss - this.#before));
      this.shift = rss - this.#level;
      this.bytes = Math.max(0, this.shift);
    } else if (this.bytes > 0 || this.#lost > 0) {
      const program = rss - this.bytes;
      // One that ends gives back all that it has.
      this.#lost = program < 0 ? 0 : Math.min(this.#lost, Math.max(0, this.#level - program));
      this.shift = this.bytes - this.#lost;
    }
  }

  /** `left`: what stays of ours, where the process told; else all that came after the garbage had gone. */
  end(rss: number, left?: number): void {
    if (!this.#standing) return;
    this.see(rss);
    this.#standing = false;
    const ours = left === undefined ? rss - this.#least : this.#before + left;
    this.bytes = Math.max(0, Math.min(ours, rss));
    this.#lost = Math.max(0, this.#level - (rss - this.bytes));
    this.see(rss);
  }
}
