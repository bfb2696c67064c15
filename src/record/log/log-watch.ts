import { type FileHandle, open, stat } from 'node:fs/promises';
import type { EngineNews, LineMark } from '../../formats/log-lines/index.ts';
import { outputFiles } from '../workload/stream-plan.ts';
import { LastOutput } from './last-output.ts';
import { LineWatch } from './line-watch.ts';

const LOOK_MS = 50;
const CHUNK = 1 << 16;

/** Looks for marks in everything that the workload prints, wherever it goes, and in its own log. */
export class LogWatch {
  readonly #patterns: readonly RegExp[];
  readonly #onMark: (mark: LineMark) => void;
  readonly #onEngine: (news: EngineNews, ageNs: number) => void;
  readonly #streams = new Map<string, LineWatch>();
  readonly #tails: FileTail[];
  readonly #output = new LastOutput();

  constructor(
    patterns: readonly RegExp[],
    logFile: string | null,
    watchOutput: boolean,
    onMark: (mark: LineMark) => void,
    onEngine: (news: EngineNews, ageNs: number) => void = () => {},
  ) {
    this.#onEngine = onEngine;
    this.#patterns = patterns;
    this.#onMark = onMark;
    const files = [...(watchOutput ? outputFiles() : []), ...(logFile === null ? [] : [logFile])];
    this.#tails = files.map((file) => new FileTail(file, null, (chunk) => this.take(file, chunk)));
  }

  /** A piece of one stream's output, and when it came. */
  take(stream: string, chunk: Uint8Array, at = performance.now()): void {
    this.#output.take(stream, chunk);
    this.#stream(stream).take(chunk, at);
  }

  /** The end of what came. */
  get lastLines(): string[] {
    return this.#output.lines();
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
      stream = new LineWatch(this.#patterns, this.#onMark, undefined, this.#onEngine);
      this.#streams.set(name, stream);
    }
    return stream;
  }
}

/**
 * Reads a growing file as it grows: the file that the workload's output goes to, or a log that it
 * writes by itself (which may not exist yet, may be cut back and start anew, may be replaced).
 */
class FileTail {
  readonly #path: string;
  readonly #onChunk: (chunk: Uint8Array) => void;
  readonly #timer: NodeJS.Timeout;
  #handle: FileHandle | null = null;
  #inode = 0;
  #position: number | null;
  #busy: Promise<void> = Promise.resolve();

  /** `from`: where to begin; null: at the present end, or at the start of a file that is yet to come. */
  constructor(path: string, from: number | null, onChunk: (chunk: Uint8Array) => void) {
    this.#path = path;
    this.#onChunk = onChunk;
    this.#position = from;
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Reads what is left and lets go. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#busy;
    await this.#read().catch(() => {});
    await this.#handle?.close();
    this.#handle = null;
  }

  #look(): void {
    this.#busy = this.#busy.then(() => this.#read()).catch(() => {});
  }

  async #read(): Promise<void> {
    const file = await stat(this.#path).catch(() => null);
    if (!file) {
      this.#position ??= 0;
      return;
    }
    if (!this.#handle || file.ino !== this.#inode) await this.#reopen(file.ino, file.size);
    if (file.size < this.#position!) this.#position = 0;
    // Most looks find nothing new; a read would make garbage and wake another thread for nothing.
    if (file.size === this.#position) return;
    for (;;) {
      const { bytesRead, buffer } = await this.#handle!.read(
        new Uint8Array(CHUNK),
        0,
        CHUNK,
        this.#position,
      );
      if (bytesRead === 0) return;
      this.#position! += bytesRead;
      this.#onChunk(buffer.subarray(0, bytesRead));
    }
  }

  async #reopen(inode: number, size: number): Promise<void> {
    const replaced = this.#handle !== null;
    await this.#handle?.close();
    this.#handle = await open(this.#path, 'r');
    this.#inode = inode;
    this.#position = replaced ? 0 : (this.#position ?? size);
  }
}
