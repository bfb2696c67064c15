import { FormatError } from '../../base/errors.ts';

/** More than the longest record: while so much is there, a record is whole. */
const MARGIN = 1 << 20;
/** Names of functions and paths are shorter. */
const MOST_TEXT = 1 << 16;
/** Tables of a function's lines are shorter. */
const MOST_BLOB = 1 << 19;

/** No further byte is there. */
export class Ended extends Error {}

/** Numbers, texts and tables of a file that comes in pieces. */
export class Bytes {
  /** How many are done with. */
  offset = 0;
  readonly #name: string;
  #bytes = new Uint8Array(1 << 21);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  #filled = 0;
  #last = false;

  constructor(name: string) {
    this.#name = name;
  }

  push(piece: Uint8Array): void {
    this.#bytes.copyWithin(0, this.#at, this.#filled);
    this.#filled -= this.#at;
    this.offset += this.#at;
    this.#at = 0;
    if (this.#filled + piece.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#filled + piece.length));
      larger.set(this.#bytes.subarray(0, this.#filled));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#bytes.set(piece, this.#filled);
    this.#filled += piece.length;
  }

  /** Nothing follows. */
  end(): void {
    this.#last = true;
  }

  /** Whether a record can be read: it is there as a whole, or nothing more will come. */
  get ready(): boolean {
    const left = this.#filled - this.#at;
    return left >= MARGIN || (this.#last && left > 0);
  }

  byte(): number {
    if (this.#at >= this.#filled) throw new Ended();
    return this.#bytes[this.#at++]!;
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** Of 64 bits: an address, a size, an id; exact up to 2^53. */
  u64(): number {
    const at = this.#take(8);
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
  }

  skip(length: number): void {
    this.#take(length);
  }

  varint(): number {
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 10; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
    throw this.refusal('has a number that never ends');
  }

  /** Its sign is the lowest bit. */
  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Up to a zero. */
  text(): string {
    const end = this.#bytes.subarray(0, this.#filled).indexOf(0, this.#at);
    const length = (end < 0 ? this.#filled : end) - this.#at;
    if (length > MOST_TEXT) throw this.refusal('has a text that never ends');
    if (end < 0) throw new Ended();
    const found = new TextDecoder().decode(this.#bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return found;
  }

  blob(length: number): Uint8Array {
    if (length > MOST_BLOB) throw this.refusal(`has a table of ${length} bytes`);
    const at = this.#take(length);
    return this.#bytes.slice(at, at + length);
  }

  #take(length: number): number {
    if (length > this.#filled - this.#at) throw new Ended();
    this.#at += length;
    return this.#at - length;
  }

  refusal(what: string): FormatError {
    return new FormatError(`${this.#name} ${what}, at byte ${this.offset + this.#at}`, {
      hint: 'it is damaged, or no capture of memray',
    });
  }
}
