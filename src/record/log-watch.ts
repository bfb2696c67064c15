import {
  type LineMark,
  LineMarker,
  type LineSplitter,
  splitLines,
} from '../formats/log-lines/index.ts';
import { outputFiles } from './streams.ts';
import { Tail } from './tail.ts';

/** Looks for marks in everything that the workload prints, wherever it goes, and in its own log. */
export class LogWatch {
  readonly #patterns: readonly RegExp[];
  readonly #onMark: (mark: LineMark) => void;
  readonly #streams = new Map<string, { splitter: LineSplitter; marker: LineMarker }>();
  readonly #tails: Tail[];

  constructor(
    patterns: readonly RegExp[],
    logFile: string | null,
    watchOutput: boolean,
    onMark: (mark: LineMark) => void,
  ) {
    this.#patterns = patterns;
    this.#onMark = onMark;
    const files = [...(watchOutput ? outputFiles() : []), ...(logFile === null ? [] : [logFile])];
    this.#tails = files.map((file) => new Tail(file, null, (chunk) => this.take(file, chunk)));
  }

  /** A piece of one stream's output. */
  take(stream: string, chunk: Uint8Array): void {
    const { splitter, marker } = this.#stream(stream);
    this.#emit(splitter.push(chunk).flatMap((line) => marker.feed(line)));
  }

  /** Reads what is left. */
  async stop(): Promise<void> {
    await Promise.all(this.#tails.map((tail) => tail.stop()));
    for (const { splitter, marker } of this.#streams.values()) {
      this.#emit(splitter.end().flatMap((line) => marker.feed(line)));
    }
  }

  /**
   * Lines that come at once were not printed at once: a program that buffers its output writes
   * many at a time. The last iteration among them is recent; when the others were, nobody knows,
   * unless they say so themselves.
   */
  #emit(marks: readonly LineMark[]): void {
    const newest = marks.findLast((mark) => mark.kind === 'iteration');
    for (const mark of marks) {
      if (mark.kind !== 'iteration' || mark.stamp || mark === newest) this.#onMark(mark);
    }
  }

  /** Each stream has its own lines and its own count of iterations. */
  #stream(name: string) {
    let stream = this.#streams.get(name);
    if (!stream) {
      stream = { splitter: splitLines(), marker: new LineMarker({ patterns: this.#patterns }) };
      this.#streams.set(name, stream);
    }
    return stream;
  }
}
