import {
  type EngineNews,
  EngineReader,
  type LineMark,
  LineMarker,
  splitLines,
} from '../../formats/log-lines/index.ts';

/** Iterations are kept this far apart: between two samples, more of them say nothing. */
/** No program collects more than this before it writes: a larger piece is several writes that came before we read. */
const LARGEST_BUFFER = 1 << 16;
const SPACING_MS = 5;
/** Lines that state their time are kept beyond that: so many at once, so many a second. */
const MOST_AT_ONCE = 2000;
const MOST_PER_MS = 0.2;
/** So many lines are compared with those before them: at once, and a millisecond. It takes some microseconds each. */
const COMPARED_AT_ONCE = 500;
const COMPARED_PER_MS = 0.5;

/** An iteration that was printed; its mark is made only where it is kept. */
interface PrintedIteration {
  readonly mark: () => LineMark;
  readonly iteration: number | undefined;
  readonly stamped: boolean;
  readonly at: number;
  /** Something is counted, and nobody knows what. */
  readonly counted?: boolean;
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
  readonly #engines = new EngineReader();
  readonly #onEngine: (news: EngineNews, ageNs: number) => void;
  readonly #now: () => number;
  /** An iteration that a later one may take the place of. */
  #newest: PrintedIteration | null = null;
  /** What came with it, and after it. */
  #following: { mark: LineMark; at: number }[] = [];
  #lastChunkAt = Number.NEGATIVE_INFINITY;
  #keptAt = Number.NEGATIVE_INFINITY;
  #allowance = MOST_AT_ONCE;
  #compared = COMPARED_AT_ONCE;
  #timer: NodeJS.Timeout | undefined;
  #flooded = false;
  /** How many iterations were left out although their time was known, or would have been had we read at once. */
  thinned = 0;

  constructor(
    patterns: readonly RegExp[],
    onMark: (mark: LineMark) => void,
    now: () => number = () => performance.now(),
    onEngine: (news: EngineNews, ageNs: number) => void = () => {},
  ) {
    this.#onEngine = onEngine;
    this.#marker = new LineMarker({ patterns, counts: true });
    this.#onMark = onMark;
    this.#now = now;
  }

  /** A piece of the stream, and when it came. */
  take(chunk: Uint8Array, now = this.#now()): void {
    this.#allowance = Math.min(
      MOST_AT_ONCE,
      this.#allowance + (now - this.#lastChunkAt) * MOST_PER_MS,
    );
    this.#compared = Math.min(
      COMPARED_AT_ONCE,
      this.#compared + (now - this.#lastChunkAt) * COMPARED_PER_MS,
    );
    // A bar is whole before the return that ends it, which is the first byte of the next.
    const whole = this.#splitter.waiting && (chunk[0] === 13 || chunk[0] === 10);
    let at = whole ? this.#lastChunkAt : now;
    this.#lastChunkAt = now;
    this.#flooded = chunk.length > LARGEST_BUFFER;
    for (const line of this.#splitter.push(chunk)) {
      this.#addLine(line, at);
      at = now;
    }
    if (!this.#newest) return;
    const spaced = this.#newest.at - this.#keptAt >= SPACING_MS;
    if (spaced || this.#following.length > 0) this.#keepNewest();
    else this.#timer ??= setTimeout(() => this.#keepNewest(), SPACING_MS).unref();
  }

  /** What is left. */
  end(): void {
    for (const line of this.#splitter.end()) this.#addLine(line, this.#lastChunkAt);
    this.#keepNewest();
  }

  #addLine(line: string, at: number): void {
    const iteration = this.#marker.next(line);
    if (iteration !== null) {
      this.#engines.skip();
      const { epoch, tellsTime } = this.#marker;
      const mark = () => this.#marker.markOf(line, iteration, epoch);
      this.#addIteration({ mark, iteration, stamped: tellsTime, at });
      return;
    }
    for (const news of this.#engines.push(line)) this.#onEngine(news, (this.#now() - at) * 1e6);
    this.#compared = Math.max(0, this.#compared - 1);
    this.#marker.comparesLines = this.#compared > 0;
    for (const mark of this.#marker.feed(line)) {
      if (mark.kind === 'iteration' || mark.kind === 'count') {
        const stamped = mark.stamp !== undefined;
        const counted = mark.kind === 'count';
        this.#addIteration({ mark: () => mark, iteration: mark.iteration, stamped, at, counted });
      } else this.#keep(mark, at);
    }
  }

  #addIteration(printed: PrintedIteration): void {
    if (printed.stamped && this.#allowance >= 1) {
      this.#allowance--;
      this.#keep(printed.mark(), printed.at);
      return;
    }
    const before = this.#newest;
    if (before && !before.counted) {
      if (before.stamped || before.at < printed.at || this.#flooded) this.thinned++;
      this.#onMark({ kind: 'iteration', name: '', iteration: before.iteration, uncertain: true });
    }
    this.#emitFollowing();
    this.#newest = printed;
  }

  #keepNewest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const newest = this.#newest;
    if (!newest) return;
    this.#newest = null;
    this.#keptAt = newest.at;
    this.#emit(newest.mark(), newest.at);
    this.#emitFollowing();
  }

  /** In the order in which they came; an iteration that came at once with others may yet be dropped. */
  #keep(mark: LineMark, at: number): void {
    if (this.#newest?.at === at) {
      this.#following.push({ mark, at });
      return;
    }
    this.#keepNewest();
    this.#emit(mark, at);
  }

  #emitFollowing(): void {
    for (const { mark, at } of this.#following.splice(0)) this.#emit(mark, at);
  }

  #emit(mark: LineMark, at: number): void {
    this.#onMark({ ...mark, ageNs: (this.#now() - at) * 1e6 });
  }
}
