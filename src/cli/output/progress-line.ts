const EVERY_MS = 200;
const FIRST_MS = 700;

/** A line on the error stream that says how far long work is; nothing where nobody looks on. */
export class ProgressLine {
  readonly #what: string;
  readonly #stream: NodeJS.WriteStream;
  #next = performance.now() + FIRST_MS;
  #shown = false;

  constructor(what: string, stream = process.stderr) {
    this.#what = what;
    this.#stream = stream;
  }

  at(share: number): void {
    const now = performance.now();
    if (!this.#stream.isTTY || now < this.#next) return;
    this.#next = now + EVERY_MS;
    this.#shown = true;
    this.#stream.write(`\r${this.#what}: ${Math.floor(share * 100)} % `);
  }

  end(): void {
    if (this.#shown) this.#stream.write('\r\x1b[K');
  }
}
