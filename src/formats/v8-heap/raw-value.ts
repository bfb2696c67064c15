import { refuse, type SnapshotPart } from './snapshot-part.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const AFTER_DIGITS = 0x3a;
const DEEPEST = 100_000;

/** Any JSON value, found by its brackets: kept as bytes up to a limit, or skipped. */
export class RawValue implements SnapshotPart {
  done = false;
  readonly #name: string;
  readonly #kept: number[] | null;
  readonly #limit: number;
  #depth = 0;
  #inText = false;
  #escaped = false;
  #begun = false;

  /** `limit`: the most bytes to keep; 0: none. */
  constructor(name: string, limit: number) {
    this.#name = name;
    this.#limit = limit;
    this.#kept = limit > 0 ? [] : null;
  }

  text(): string {
    return new TextDecoder().decode(Uint8Array.from(this.#kept ?? []));
  }

  take(bytes: Uint8Array, from: number, end: number, base: number): number {
    for (let at = from; at < end; at++) {
      if (this.#kept === null && this.#depth > 0 && !this.#inText) at = pastNumbers(bytes, at, end);
      if (at === end) return end;
      const byte = bytes[at]!;
      // The comma or bracket after a bare number is not part of it.
      if (this.#begun && this.#depth === 0 && !this.#inText && this.#ends(byte)) {
        this.done = true;
        return at;
      }
      if (this.#kept) {
        if (this.#kept.length >= this.#limit) {
          throw refuse(this.#name, base + at, `its header is over ${this.#limit} bytes long`);
        }
        this.#kept.push(byte);
      }
      this.#step(byte);
      if (this.#depth > DEEPEST)
        throw refuse(this.#name, base + at, 'brackets are nested too deep');
      if (this.#begun && this.#depth === 0 && !this.#inText && isCloser(byte)) {
        this.done = true;
        return at + 1;
      }
    }
    return end;
  }

  #step(byte: number): void {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inText = false;
      return;
    }
    if (byte === QUOTE) this.#inText = true;
    else if (byte === OPEN || byte === OPEN_LIST) this.#depth++;
    else if (byte === CLOSE || byte === CLOSE_LIST) this.#depth--;
    if (byte > 0x20) this.#begun = true;
  }

  #ends = (byte: number) => byte === COMMA || byte === CLOSE;
}

const isCloser = (byte: number) => byte === QUOTE || byte === CLOSE || byte === CLOSE_LIST;

/** What is skipped is mostly long lists of numbers: on to the first byte that may belong to something else. */
function pastNumbers(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at]! < AFTER_DIGITS && bytes[at] !== QUOTE) at++;
  return at;
}
