import { type Part, refuse } from './place.ts';

const [COMMA, OPEN, CLOSE, ZERO] = [0x2c, 0x5b, 0x5d, 0x30];
/** More digits than this are past what a number holds exactly. */
const MOST_DIGITS = 15;

/** Takes whole records: `fields` is reused for each. */
export type RecordSink = (fields: Float64Array, row: number, offset: number) => void;

/**
 * A list of whole numbers, `width` of them a record. Digits are added up as they come, so that no
 * text is made of hundreds of megabytes of them.
 */
export class NumberList implements Part {
  done = false;
  rows = 0;
  readonly #name: string;
  readonly #what: string;
  readonly #sink: RecordSink;
  readonly #fields: Float64Array;
  #field = 0;
  #value = 0;
  #digits = 0;
  /** A bracket or comma came last, so that a number must follow. */
  #wanted = true;
  #opened = false;

  constructor(name: string, what: string, width: number, sink: RecordSink) {
    this.#name = name;
    this.#what = what;
    this.#sink = sink;
    this.#fields = new Float64Array(width);
  }

  take(bytes: Uint8Array, from: number, end: number, base: number): number {
    const fields = this.#fields;
    const width = fields.length;
    const sink = this.#sink;
    let at = this.#opened ? from : this.#open(bytes, from, end, base);
    let value = this.#value;
    let digits = this.#digits;
    let field = this.#field;
    let { rows } = this;
    let wanted = this.#wanted;
    while (at < end) {
      const first = at;
      // Only for digits does this come to 0 … 9.
      for (let digit = 0; at < end; at++) {
        digit = bytes[at]! ^ ZERO;
        if (digit > 9) break;
        value = value * 10 + digit;
      }
      digits += at - first;
      if (at === end) break;
      const byte = bytes[at++]!;
      if (digits > 0) {
        if (digits > MOST_DIGITS) throw refuse(this.#name, base + at, 'a number is too large');
        fields[field++] = value;
        if (field === width) {
          sink(fields, rows++, base + at);
          field = 0;
        }
        value = 0;
        digits = 0;
        wanted = false;
      }
      if (byte === COMMA && !wanted) wanted = true;
      else if (byte === CLOSE && (!wanted || rows === 0)) {
        if (field !== 0) {
          throw refuse(this.#name, base + at, `the last of its ${this.#what} is cut`);
        }
        this.rows = rows;
        this.done = true;
        return at;
      } else if (byte > 0x20) throw this.#odd(byte, base + at - 1);
    }
    this.#value = value;
    this.#digits = digits;
    this.#field = field;
    this.#wanted = wanted;
    this.rows = rows;
    return at;
  }

  #open(bytes: Uint8Array, from: number, end: number, base: number): number {
    for (let at = from; at < end; at++) {
      const byte = bytes[at]!;
      if (byte <= 0x20) continue;
      if (byte !== OPEN) throw this.#odd(byte, base + at);
      this.#opened = true;
      return at + 1;
    }
    return end;
  }

  #odd(byte: number, offset: number) {
    const shown = JSON.stringify(String.fromCharCode(byte));
    return refuse(
      this.#name,
      offset,
      `${shown} among its ${this.#what}, where a whole number belongs`,
    );
  }
}
