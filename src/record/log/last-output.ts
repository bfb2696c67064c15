import { splitLines } from '../../formats/log-lines/index.ts';

/** Enough for the end of a traceback; of each stream so much is held. */
const HELD_BYTES = 4096;
const MOST_LINES = 12;
const LONGEST_LINE = 300;

/** The end of what a workload prints, for when it fails. */
export class LastOutput {
  readonly #ends = new Map<string, Uint8Array>();
  #last: string | null = null;

  take(stream: string, chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const before = chunk.length < HELD_BYTES ? this.#ends.get(stream) : undefined;
    const room = before?.subarray(Math.max(0, before.length + chunk.length - HELD_BYTES));
    const held = new Uint8Array((room?.length ?? 0) + Math.min(chunk.length, HELD_BYTES));
    if (room) held.set(room);
    held.set(chunk.subarray(-HELD_BYTES), room?.length ?? 0);
    this.#ends.set(stream, held);
    this.#last = stream;
  }

  /** Of the stream for errors where anything came there, else of the one that spoke last. */
  lines(): string[] {
    const end = this.#ends.get('2') ?? this.#ends.get(this.#last ?? '');
    if (!end) return [];
    const splitter = splitLines();
    const lines = [...splitter.push(end), ...splitter.end()];
    // The first of a full piece began before it.
    if (end.length >= HELD_BYTES && lines.length > 1) lines.shift();
    return lines
      .filter((line) => line.trim() !== '')
      .slice(-MOST_LINES)
      .map((line) => line.slice(0, LONGEST_LINE));
  }
}
