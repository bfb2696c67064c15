import { FormatError } from '../../base/errors.ts';
import { MAX_LONG, u32, u64 } from './numbers.ts';
import { refuse } from './refusal.ts';
import { MAX_TEXT, Texts } from './texts.ts';

/** Opcodes of plain data that are copied as they are, by the length of what follows them; step.ts does them. */
const COPIED = new Int8Array(256).fill(-1);
for (const op of '(}]N)usteadl012.') COPIED[op.charCodeAt(0)] = 0;
for (const op of [0x94, 0x88, 0x89, 0x85, 0x86, 0x87]) COPIED[op] = 0;
for (const op of [0x68, 0x71, 0x4b, 0x80]) COPIED[op] = 1;
COPIED[0x4d] = 2;
for (const op of [0x4a, 0x6a, 0x72]) COPIED[op] = 4;
COPIED[0x47] = 8;

/** Texts, by the bytes of their length; content of `bytes` the same. */
const TEXT: Readonly<Record<number, number>> = { 140: 1, 85: 1, 88: 4, 84: 4, 141: 8 };
const BYTES: Readonly<Record<number, number>> = { 67: 1, 66: 4, 142: 8, 150: 8 };
const [LONG1, LONG4, FRAME, STOP] = [0x8a, 0x8b, 0x95, 0x2e];
const [SHORT_BINUNICODE, BINUNICODE, SHORT_BINBYTES] = [0x8c, 0x58, 0x43];
/** The longest opcode without what its length counts. */
const HEAD = 9;
const PIECE = 1 << 20;

/**
 * A pickle of plain data with other texts: every value stays where it was, and a text that is the same
 * stays the same. The content of `bytes` is left out. Anything that is not plain data is refused.
 */
export async function* rewriteTexts(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  change: (text: string) => string,
): AsyncGenerator<Uint8Array> {
  const rewriting = new Rewriting(change);
  for await (const piece of pieces) {
    rewriting.push(piece);
    if (rewriting.full) yield rewriting.take();
    if (rewriting.done) break;
  }
  rewriting.end();
  yield rewriting.take();
}

class Rewriting {
  done = false;
  readonly #change: (text: string) => string;
  readonly #texts = new Texts();
  readonly #changed: Uint8Array[] = [];
  #held: Uint8Array = new Uint8Array(0);
  /** Of the content of `bytes` that is still to come. */
  #skip = 0;
  #offset = 0;
  #out = new Uint8Array(2 * PIECE);
  #written = 0;

  constructor(change: (text: string) => string) {
    this.#change = change;
  }

  get full(): boolean {
    return this.#written >= PIECE;
  }

  /** What was written; of use until the next piece is pushed. */
  take(): Uint8Array {
    const bytes = this.#out.subarray(0, this.#written);
    this.#written = 0;
    return bytes;
  }

  push(piece: Uint8Array): void {
    const bytes = new Uint8Array(this.#held.length + piece.length);
    bytes.set(this.#held);
    bytes.set(piece, this.#held.length);
    const used = this.#work(bytes, bytes.length - HEAD);
    this.#held = bytes.slice(used);
    this.#offset += used;
  }

  end(): void {
    const { length } = this.#held;
    const padded = new Uint8Array(length + HEAD);
    padded.set(this.#held);
    const used = this.done ? 0 : this.#work(padded, length);
    if (!this.done || used > length)
      throw this.#wrong(this.#offset + length, 'ends in the middle of a value');
  }

  /** Opcodes that begin before `limit`; how many bytes are done with. */
  #work(bytes: Uint8Array, limit: number): number {
    let at = 0;
    let copyFrom = 0;
    while (at < limit && !this.done) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, bytes.length - at);
        this.#skip -= passed;
        at += passed;
        copyFrom = at;
        continue;
      }
      const op = bytes[at]!;
      const fixed = COPIED[op]!;
      if (fixed >= 0) {
        at += 1 + fixed;
        this.done = op === STOP;
        continue;
      }
      if (op === LONG1 || op === LONG4) {
        const length = op === LONG1 ? bytes[at + 1]! : u32(bytes, at + 1);
        if (length > MAX_LONG) throw this.#wrong(this.#offset + at, 'has a number too long');
        const next = at + (op === LONG1 ? 2 : 5) + length;
        if (next > bytes.length) break;
        at = next;
        continue;
      }
      const next = this.#special(bytes, at, copyFrom);
      if (next < 0) break;
      at = next;
      copyFrom = at;
    }
    this.#put(bytes.subarray(copyFrom, at));
    return at;
  }

  /** What is not copied; -1 where its end is not there yet. */
  #special(bytes: Uint8Array, at: number, copyFrom: number): number {
    const op = bytes[at]!;
    const width = TEXT[op] ?? BYTES[op] ?? 0;
    const from = at + 1 + width;
    const length =
      width === 1 ? bytes[at + 1]! : width === 4 ? u32(bytes, at + 1) : u64(bytes, at + 1);
    if (op in TEXT) {
      if (length > MAX_TEXT) throw this.#wrong(this.#offset + at, `has a text of ${length} bytes`);
      if (from + length > bytes.length) return -1;
      this.#put(bytes.subarray(copyFrom, at));
      this.#putText(this.#texts.intern(bytes, from, from + length));
      return from + length;
    }
    this.#put(bytes.subarray(copyFrom, at));
    // The length of a frame is another now, and none is needed.
    if (op === FRAME) return at + HEAD;
    if (!(op in BYTES)) throw refuse(op, bytes, at + 1, bytes.length);
    this.#put(Uint8Array.of(SHORT_BINBYTES, 0));
    this.#skip = length;
    return from;
  }

  #putText(id: number): void {
    let bytes = this.#changed[id];
    if (!bytes) {
      const text = new TextEncoder().encode(this.#change(this.#texts.text(id)));
      const { length } = text;
      bytes =
        length < 256
          ? Uint8Array.of(SHORT_BINUNICODE, length, ...text)
          : Uint8Array.of(BINUNICODE, length, length >> 8, length >> 16, length >> 24, ...text);
      this.#changed[id] = bytes;
    }
    this.#put(bytes);
  }

  #put(bytes: Uint8Array): void {
    while (this.#written + bytes.length > this.#out.length) {
      const larger = new Uint8Array(2 * this.#out.length);
      larger.set(this.#out.subarray(0, this.#written));
      this.#out = larger;
    }
    this.#out.set(bytes, this.#written);
    this.#written += bytes.length;
  }

  #wrong(at: number, what: string): FormatError {
    return new FormatError(`${what} (at byte ${at})`);
  }
}
