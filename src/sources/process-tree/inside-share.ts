/**
 * What our work inside a process has left there. V8 writes its heap down while the program stands still: at
 * first garbage goes, which was the program's, then whatever the process gains is ours, and so is what of it
 * stays when the program goes on.
 */
export class InsideShare {
  /** Bytes of ours. */
  bytes = 0;
  /** While we work: the least that the process held besides what we had left there before. */
  #program = Number.NaN;
  #before = 0;

  begin(rss: number): void {
    this.#before = this.bytes;
    this.#program = rss - this.bytes;
  }

  /** Each time the size of the process was read. */
  see(rss: number): void {
    if (Number.isNaN(this.#program)) return;
    this.#program = Math.min(this.#program, Math.max(0, rss - this.#before));
    this.bytes = Math.max(0, rss - this.#program);
  }

  /** `left`: where the process itself measured what its own heap and we have gained. */
  end(rss: number, left?: number): void {
    this.see(rss);
    if (left !== undefined) this.bytes = Math.max(0, Math.min(this.#before + left, rss));
    this.#program = Number.NaN;
  }
}
