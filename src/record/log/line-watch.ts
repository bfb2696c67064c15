import { type LineMark, LineMarker, splitLines } from '../../formats/log-lines/index.ts';

/** Iterations are kept this far apart: between two samples, more of them say nothing. */
const SPACING_MS = 5;
/** Lines that state their time are kept beyond that: so many at once, so many a second. */
const MOST_AT_ONCE = 2000;
const MOST_PER_MS = 0.2;

/** An iteration that was told; its mark is made only where it is kept. */
interface Heard {
  readonly mark: () => LineMark;
  readonly iteration: number | undefined;
  readonly stamped: boolean;
  readonly at: number;
}

/**
 * Makes marks of what one stream prints.
 *
 * Lines that come at once were not printed at once: a program that buffers its output writes many
 * at a time. The last iteration among them is recent; when the others were, nobody knows, unless
 * they say so themselves. So those are only counted, and so are most of those that come thick and
 * fast, for a loop may print a million lines a minute.
 */
export class LineWatch {
  readonly #splitter = splitLines();
  readonly #marker: LineMarker;
  readonly #onMark: (mark: LineMark) => void;
  readonly #now: () => number;
  /** An iteration that a later one may take the place of. */
  #newest: Heard | null = null;
  /** What came with it, and after it. */
  #behind: { mark: LineMark; at: number }[] = [];
  #heardAt = Number.NEGATIVE_INFINITY;
  #keptAt = Number.NEGATIVE_INFINITY;
  #allowance = MOST_AT_ONCE;
  #timer: NodeJS.Timeout | undefined;
  /** How many iterations were left out although their time was known. */
  thinned = 0;

  constructor(
    patterns: readonly RegExp[],
    onMark: (mark: LineMark) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#marker = new LineMarker({ patterns });
    this.#onMark = onMark;
    this.#now = now;
  }

  /** A piece of the stream. */
  take(chunk: Uint8Array): void {
    const now = this.#now();
    this.#allowance = Math.min(MOST_AT_ONCE, this.#allowance + (now - this.#heardAt) * MOST_PER_MS);
    // A bar is whole before the return that ends it, which is the first byte of the next.
    const whole = this.#splitter.waiting && (chunk[0] === 13 || chunk[0] === 10);
    let at = whole ? this.#heardAt : now;
    this.#heardAt = now;
    for (const line of this.#splitter.push(chunk)) {
      this.#see(line, at);
      at = now;
    }
    if (!this.#newest) return;
    const spaced = this.#newest.at - this.#keptAt >= SPACING_MS;
    if (spaced || this.#behind.length > 0) this.#keepNewest();
    else this.#timer ??= setTimeout(() => this.#keepNewest(), SPACING_MS).unref();
  }

  /** What is left. */
  end(): void {
    for (const line of this.#splitter.end()) this.#see(line, this.#heardAt);
    this.#keepNewest();
  }

  #see(line: string, at: number): void {
    const iteration = this.#marker.next(line);
    if (iteration !== null) {
      const { epoch, tellsTime } = this.#marker;
      const mark = () => this.#marker.markOf(line, iteration, epoch);
      this.#hear({ mark, iteration, stamped: tellsTime, at });
      return;
    }
    for (const mark of this.#marker.feed(line)) {
      if (mark.kind === 'iteration') {
        const stamped = mark.stamp !== undefined;
        this.#hear({ mark: () => mark, iteration: mark.iteration, stamped, at });
      } else this.#keep(mark, at);
    }
  }

  #hear(heard: Heard): void {
    if (heard.stamped && this.#allowance >= 1) {
      this.#allowance--;
      this.#keep(heard.mark(), heard.at);
      return;
    }
    const before = this.#newest;
    if (before) {
      if (before.stamped || before.at < heard.at) this.thinned++;
      this.#onMark({ kind: 'iteration', name: '', iteration: before.iteration, uncertain: true });
    }
    this.#tellBehind();
    this.#newest = heard;
  }

  #keepNewest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const newest = this.#newest;
    if (!newest) return;
    this.#newest = null;
    this.#keptAt = newest.at;
    this.#tell(newest.mark(), newest.at);
    this.#tellBehind();
  }

  /** In the order in which they came; an iteration that came at once with others may yet be dropped. */
  #keep(mark: LineMark, at: number): void {
    if (this.#newest?.at === at) {
      this.#behind.push({ mark, at });
      return;
    }
    this.#keepNewest();
    this.#tell(mark, at);
  }

  #tellBehind(): void {
    for (const { mark, at } of this.#behind.splice(0)) this.#tell(mark, at);
  }

  #tell(mark: LineMark, at: number): void {
    this.#onMark({ ...mark, ageNs: (this.#now() - at) * 1e6 });
  }
}
