import type { LineMark } from '../../formats/log-lines/index.ts';
import { outputFiles } from '../workload/streams.ts';
import { LineWatch } from './line-watch.ts';
import { Tail } from './tail.ts';

/** Looks for marks in everything that the workload prints, wherever it goes, and in its own log. */
export class LogWatch {
  readonly #patterns: readonly RegExp[];
  readonly #onMark: (mark: LineMark) => void;
  readonly #streams = new Map<string, LineWatch>();
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
    this.#stream(stream).take(chunk);
  }

  /** Reads what is left. */
  async stop(): Promise<void> {
    await Promise.all(this.#tails.map((tail) => tail.stop()));
    for (const stream of this.#streams.values()) stream.end();
  }

  /** What the recording should say of its marks; null where there is nothing to say. */
  get caveat(): string | null {
    const thinned = [...this.#streams.values()].reduce((sum, { thinned }) => sum + thinned, 0);
    return thinned === 0
      ? null
      : `iterations came thick and fast: all are counted, ${thinned.toLocaleString('en')} have no mark of their own`;
  }

  /** Each stream has its own lines and its own count of iterations. */
  #stream(name: string): LineWatch {
    let stream = this.#streams.get(name);
    if (!stream) {
      stream = new LineWatch(this.#patterns, this.#onMark);
      this.#streams.set(name, stream);
    }
    return stream;
  }
}
