import { FormatError } from '../../base/errors.ts';
import { doubled } from '../../base/typed-arrays.ts';
import type { HeapInput } from '../heap-format.ts';
import { refuse, type SnapshotPart } from './snapshot-part.ts';

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d];
/** Longer ones are no names; V8 cuts them at 1024 characters. */
const LONGEST = 1 << 20;
const PAGE = 1 << 16;
const MOST_PAGES = 64;

/**
 * The list of texts, of which only the places are kept. Where the file can be read again, so are the
 * texts, when they are asked for; elsewhere their bytes are held.
 */
export class TextList implements SnapshotPart {
  done = false;
  count = 0;
  readonly #input: HeapInput;
  readonly #notice: (id: number, length: number, first: number, last: number) => boolean;
  /** Where text n begins, after its quote, counted from the first text; with the end of the last. */
  #starts = new Float64Array(1 << 12);
  #ends = new Uint32Array(1 << 12);
  #noticed: number[] = [];
  #kept: Uint8Array<ArrayBuffer> | null;
  #keptLength = 0;
  #opened = false;
  #inText = false;
  #escaped = false;
  #start = 0;
  #first = 0;
  #last = 0;

  /** `notice` is asked of each text whether the caller wants to look at it at the end. */
  constructor(
    input: HeapInput,
    notice: (id: number, length: number, first: number, last: number) => boolean,
  ) {
    this.#input = input;
    this.#notice = notice;
    this.#kept = input.readAt ? null : new Uint8Array(1 << 16);
  }

  get noticed(): readonly number[] {
    return this.#noticed;
  }

  take(bytes: Uint8Array, from: number, end: number, base: number): number {
    let at = from;
    while (at < end) {
      const byte = bytes[at]!;
      if (this.#inText) {
        at = this.#through(bytes, at, end, base);
        continue;
      }
      at++;
      if (byte <= 0x20) continue;
      if (!this.#opened) {
        if (byte !== OPEN) throw refuse(this.#input.name, base + at - 1, 'its texts are no list');
        this.#opened = true;
      } else if (byte === QUOTE) {
        this.#inText = true;
        this.#escaped = false;
        this.#start = base + at;
        this.#first = bytes[at] ?? 0;
      } else if (byte === CLOSE) {
        this.done = true;
        return at;
      } else if (byte !== COMMA) {
        throw refuse(this.#input.name, base + at - 1, 'something else than a text among its texts');
      }
    }
    return at;
  }

  /** Up to the closing quote, or to the end of the bytes. */
  #through(bytes: Uint8Array, from: number, end: number, base: number): number {
    let at = this.#escaped ? from + 1 : from;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) at++;
    }
    // What a backslash stands before may come with the next bytes.
    this.#escaped = at > end;
    if (at > end) at = end;
    if (base + at - this.#start > LONGEST) {
      throw refuse(this.#input.name, this.#start, `a text is over ${LONGEST} bytes long`);
    }
    this.#keep(bytes, from, at);
    if (at > from) this.#last = bytes[at - 1]!;
    if (base + from === this.#start) this.#first = bytes[from]!;
    if (at === end) return end;
    this.#inText = false;
    this.#add(this.#start, base + at);
    return at + 1;
  }

  #add(start: number, end: number): void {
    if (this.count === this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#ends = doubled(this.#ends);
    }
    const id = this.count++;
    const length = end - start;
    this.#starts[id] = this.#kept ? this.#keptLength - length : start;
    this.#ends[id] = length;
    if (this.#notice(id, length, this.#first, this.#last)) this.#noticed.push(id);
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    if (!this.#kept) return;
    while (this.#keptLength + to - from > this.#kept.length) this.#kept = doubled(this.#kept);
    this.#kept.set(bytes.subarray(from, to), this.#keptLength);
    this.#keptLength += to - from;
  }

  /** Reads texts again by their number. */
  reader(): (id: number) => string {
    const starts = this.#starts.slice(0, this.count);
    const lengths = this.#ends.slice(0, this.count);
    const kept = this.#kept?.slice(0, this.#keptLength);
    const { name } = this.#input;
    const bytesAt = kept
      ? (offset: number, length: number) => kept.subarray(offset, offset + length)
      : pages((offset, length) => this.#input.readAt!(offset, length));
    const decoder = new TextDecoder();
    return (id) => {
      const bytes = bytesAt(starts[id]!, lengths[id]!);
      const text = decoder.decode(bytes);
      if (!text.includes('\\')) return text;
      try {
        return JSON.parse(`"${text}"`) as string;
      } catch (cause) {
        throw new FormatError(`${name}: text ${id} is not JSON`, { cause });
      }
    };
  }
}

/** Texts that are asked for together often lie together. */
function pages(read: (offset: number, length: number) => Uint8Array) {
  const held = new Map<number, Uint8Array>();
  const page = (number: number) => {
    let bytes = held.get(number);
    if (bytes) return bytes;
    bytes = read(number * PAGE, PAGE);
    if (held.size >= MOST_PAGES) held.delete(held.keys().next().value!);
    held.set(number, bytes);
    return bytes;
  };
  return (offset: number, length: number): Uint8Array => {
    const number = Math.floor(offset / PAGE);
    const from = offset - number * PAGE;
    if (from + length <= PAGE) return page(number).subarray(from, from + length);
    return read(offset, length);
  };
}
