import { FormatError } from '../../base/errors.ts';

/**
 * A JSON object of any size whose bulk is one array of objects: finds those of the array that hold
 * one of some words, and keeps the rest of the text. A profiler's trace has hundreds of thousands
 * of objects of which a few matter, and may be larger than a string can be.
 */
export interface Elements {
  /** The text without the array's elements; closed with brackets where the file was cut. */
  readonly rest: string;
  /** The file ends before its own end. */
  readonly cut: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isOpening = (byte: number) => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number) => byte === 0x7d || byte === 0x5d;
/** Elements are inside the outer object and the array. */
const INSIDE = 2;
/** What is kept at most: a longer element, or a longer rest, is no trace of a profiler. */
const MOST_BYTES = 64e6;

/** `words` are beginnings of strings (keys or values) by which an element is wanted. */
export async function findElements(
  stream: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  array: string,
  words: readonly string[],
  take: (element: string) => void,
): Promise<Elements> {
  const scanner = new Scanner(array, words, take);
  for await (const piece of stream) scanner.push(piece);
  return scanner.end();
}

class Scanner {
  readonly #key: Uint8Array;
  readonly #words: readonly Uint8Array[];
  readonly #firsts: ReadonlySet<number>;
  readonly #take: (element: string) => void;
  readonly #decoder = new TextDecoder();
  /** Bytes not yet done with: an element or a string that began in an earlier piece. */
  #left = new Uint8Array(0);
  #depth = 0;
  /** Whether the last string of the outer object was the array's key. */
  #keySeen = false;
  #inArray = false;
  #rest: string[] = [];
  #restBytes = 0;

  constructor(array: string, words: readonly string[], take: (element: string) => void) {
    const bytes = (text: string) => new TextEncoder().encode(text);
    this.#key = bytes(`${array}"`);
    this.#words = words.map(bytes);
    this.#firsts = new Set(this.#words.map((word) => word[0]!));
    this.#take = take;
  }

  push(piece: Uint8Array): void {
    const bytes = new Uint8Array(this.#left.length + piece.length);
    bytes.set(this.#left);
    bytes.set(piece, this.#left.length);
    const done = this.#inArray ? this.#scanArray(bytes, 0) : this.#scanOutside(bytes, 0);
    this.#left = bytes.slice(done);
    if (this.#left.length > MOST_BYTES) {
      throw new FormatError('is no trace of a profiler: one of its parts is too long');
    }
  }

  end(): Elements {
    const cut = this.#depth > 0 || this.#inArray;
    return { rest: this.#rest.join('') + (this.#inArray ? ']}' : ''), cut };
  }

  /** Up to the array, or from its end on. Returns how far the bytes are done with. */
  #scanOutside(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        const end = stringEnd(bytes, at);
        if (end < 0) return this.#keep(bytes, from, at);
        this.#keySeen = this.#depth === 1 && startsWith(bytes, at + 1, this.#key);
        at = end;
      } else if (isOpening(byte)) {
        this.#depth++;
        if (this.#keySeen && byte === 0x5b && this.#depth === INSIDE) {
          this.#inArray = true;
          return this.#scanArray(bytes, this.#keep(bytes, from, at + 1));
        }
      } else if (isClosing(byte)) this.#depth--;
    }
    return this.#keep(bytes, from, bytes.length);
  }

  #scanArray(bytes: Uint8Array, from: number): number {
    let start = from;
    let wanted = false;
    let depth = INSIDE;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        const end = stringEnd(bytes, at);
        if (end < 0) return start;
        if (!wanted && this.#firsts.has(bytes[at + 1]!)) {
          wanted = this.#words.some((word) => startsWith(bytes, at + 1, word));
        }
        at = end;
      } else if (isOpening(byte)) {
        if (depth === INSIDE) start = at;
        depth++;
      } else if (isClosing(byte)) {
        depth--;
        if (depth === INSIDE) {
          if (wanted) this.#take(this.#decoder.decode(bytes.subarray(start, at + 1)));
          wanted = false;
          start = at + 1;
        } else if (depth < INSIDE) {
          this.#inArray = false;
          this.#keySeen = false;
          return this.#scanOutside(bytes, at);
        }
      }
    }
    return start;
  }

  #keep(bytes: Uint8Array, from: number, to: number): number {
    this.#restBytes += to - from;
    if (this.#restBytes > MOST_BYTES) {
      throw new FormatError('is no trace of a profiler: too much of it is no event');
    }
    this.#rest.push(this.#decoder.decode(bytes.subarray(from, to)));
    return to;
  }
}

/** The closing quote of the string that begins at `at`; -1 when it is not there yet. */
function stringEnd(bytes: Uint8Array, at: number): number {
  for (let end = at + 1; end < bytes.length; end++) {
    if (bytes[end] === BACKSLASH) end++;
    else if (bytes[end] === QUOTE) return end;
  }
  return -1;
}

function startsWith(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
  return true;
}
