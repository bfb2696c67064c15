import { refuse, type SnapshotPart } from './snapshot-part.ts';

const [COMMA, OPEN, CLOSE, ZERO, NEWLINE] = [0x2c, 0x5b, 0x5d, 0x30, 0x0a];
/** More digits than this are past what a number holds exactly. */
const MOST_DIGITS = 15;
/** The longest number with what follows it: nearer to the end of a piece, each byte is looked at with care. */
const LONGEST = MOST_DIGITS + 3;
/** Numbers handed on together: few enough to stay in the processor's nearest memory. */
const BLOCK = 2048;

/**
 * Takes whole records, side by side in `numbers`, which is used again for the next; `row` is the first.
 * `placeOf` finds the byte at which one of them ends, for messages.
 */
export type RecordSink = (
  numbers: Float64Array,
  records: number,
  row: number,
  placeOf: (record: number) => number,
) => void;

/**
 * A list of whole numbers, `width` of them a record. Digits are added up as they come, so that no
 * text is made of hundreds of megabytes of them.
 */
export class NumberList implements SnapshotPart {
  done = false;
  rows = 0;
  readonly #name: string;
  readonly #what: string;
  readonly #width: number;
  readonly #sink: RecordSink;
  readonly #numbers: Float64Array;
  /** Numbers of a record that is not whole yet, at the front of `#numbers`. */
  #filled = 0;
  #value = 0;
  #digits = 0;
  /** A bracket or comma came last, so that a number must follow. */
  #wanted = true;
  #opened = false;

  constructor(name: string, what: string, width: number, sink: RecordSink) {
    this.#name = name;
    this.#what = what;
    this.#width = width;
    this.#sink = sink;
    this.#numbers = new Float64Array(width * Math.max(1, Math.floor(BLOCK / width)));
  }

  take(bytes: Uint8Array, from: number, end: number, base: number): number {
    let at = this.#opened ? from : this.#open(bytes, from, end, base);
    const before = { rows: this.rows, numbers: this.#filled, digits: this.#digits };
    const piece = { bytes, from: at, base, before };
    while (at < end && !this.done) {
      if (this.#wanted && this.#digits === 0) at = this.#quick(bytes, at, end);
      if (this.#filled === this.#numbers.length) this.#handOn(piece);
      else at = this.#slow(bytes, at, end, piece);
    }
    this.#handOn(piece);
    return at;
  }

  /** As many numbers as there is room for; it stops before the first that is not quite as V8 writes them. */
  #quick(bytes: Uint8Array, from: number, end: number): number {
    const numbers = this.#numbers;
    const most = numbers.length;
    const last = end - LONGEST;
    let filled = this.#filled;
    let next = from;
    while (next <= last && filled < most) {
      let at = next;
      // Only for digits does this come to 0 … 9.
      let value = bytes[at]! ^ ZERO;
      if (value > 9) break;
      let digit = bytes[++at]! ^ ZERO;
      // At most eight more, no loop: so the processor foresees best where a number ends, and it fits 32 bits.
      for (;;) {
        if (digit > 9) break;
        value = value * 10 + digit;
        digit = bytes[++at]! ^ ZERO;
        if (digit > 9) break;
        value = value * 10 + digit;
        digit = bytes[++at]! ^ ZERO;
        if (digit > 9) break;
        value = value * 10 + digit;
        digit = bytes[++at]! ^ ZERO;
        if (digit > 9) break;
        value = value * 10 + digit;
        digit = bytes[++at]! ^ ZERO;
        if (digit > 9) break;
        value = value * 10 + digit;
        digit = bytes[++at]! ^ ZERO;
        if (digit > 9) break;
        value = value * 10 + digit;
        digit = bytes[++at]! ^ ZERO;
        if (digit > 9) break;
        value = value * 10 + digit;
        digit = bytes[++at]! ^ ZERO;
        if (digit > 9) break;
        value = value * 10 + digit;
        digit = bytes[++at]! ^ ZERO;
        break;
      }
      // V8 begins a line with each record, and that with the comma.
      if (digit === (NEWLINE ^ ZERO)) digit = bytes[++at]! ^ ZERO;
      if (digit !== (COMMA ^ ZERO)) break;
      numbers[filled++] = value;
      next = at + 1;
    }
    this.#filled = filled;
    return next;
  }

  /** One number, or what there is of it, with the byte that follows it. */
  #slow(bytes: Uint8Array, from: number, end: number, piece: Piece): number {
    let at = from;
    const first = at;
    for (let digit = 0; at < end; at++) {
      digit = bytes[at]! ^ ZERO;
      if (digit > 9) break;
      this.#value = this.#value * 10 + digit;
    }
    this.#digits += at - first;
    if (at === end) return at;
    const byte = bytes[at++]!;
    if (this.#digits > 0) {
      if (this.#digits > MOST_DIGITS) throw this.#refuse(piece, at, 'a number is too large');
      this.#numbers[this.#filled++] = this.#value;
      this.#value = 0;
      this.#digits = 0;
      this.#wanted = false;
    }
    if (byte === COMMA && !this.#wanted) this.#wanted = true;
    else if (byte === CLOSE && (!this.#wanted || this.#none())) {
      if (this.#filled % this.#width !== 0) {
        throw this.#refuse(piece, at, `the last of its ${this.#what} is cut`);
      }
      this.done = true;
    } else if (byte > 0x20) throw this.#refuse(piece, at - 1, this.#odd(byte));
    return at;
  }

  #none = () => this.rows === 0 && this.#filled < this.#width;

  /** Whole records go to the sink; what is left of one moves to the front. */
  #handOn(piece: Piece): void {
    const width = this.#width;
    const records = Math.floor(this.#filled / width);
    if (records === 0) return;
    const { rows } = this;
    this.#sink(this.#numbers, records, rows, (record) =>
      endOf(piece, (rows - piece.before.rows + record + 1) * width),
    );
    this.rows = rows + records;
    this.#numbers.copyWithin(0, records * width, this.#filled);
    this.#filled -= records * width;
  }

  #open(bytes: Uint8Array, from: number, end: number, base: number): number {
    for (let at = from; at < end; at++) {
      const byte = bytes[at]!;
      if (byte <= 0x20) continue;
      if (byte !== OPEN) throw refuse(this.#name, base + at, this.#odd(byte));
      this.#opened = true;
      return at + 1;
    }
    return end;
  }

  /** What was wrong before it is told first. */
  #refuse(piece: Piece, at: number, what: string) {
    this.#handOn(piece);
    return refuse(this.#name, piece.base + at, what);
  }

  #odd(byte: number): string {
    const shown = JSON.stringify(String.fromCharCode(byte));
    return `${shown} among its ${this.#what}, where a whole number belongs`;
  }
}

/** The bytes that are being taken, and what came of the list before them. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly base: number;
  readonly before: { readonly rows: number; readonly numbers: number; readonly digits: number };
}

/**
 * The file's byte after the `numbers`th number, counted from the first record that ends in the piece. Nobody
 * keeps places of millions of records: where one is refused, its piece is looked through once more.
 */
function endOf({ bytes, from, base, before }: Piece, numbers: number): number {
  let left = numbers - before.numbers;
  let inNumber = before.digits > 0;
  let at = from;
  for (; left > 0 && at < bytes.length; at++) {
    const isDigit = (bytes[at]! ^ ZERO) <= 9;
    if (inNumber && !isDigit) left--;
    inNumber = isDigit;
  }
  return base + at;
}
