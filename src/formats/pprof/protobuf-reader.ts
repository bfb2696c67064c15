import { FormatError } from '../../base/errors.ts';

/** A number of up to 64 bits; a bigint only where it does not fit a number. */
export type Varint = number | bigint;

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Fields of one message, in order. Whatever does not hold is refused with its place: a profile that was cut must not look whole. */
export class ProtobufReader {
  /** Of the field that `next` went to. */
  field = 0;
  wire = 0;
  readonly #bytes: Uint8Array;
  readonly #name: string;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, name: string, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#name = name;
    this.#at = at;
    this.#end = end;
  }

  /** To the next field; false at the end. Its value must be read or skipped. */
  next(): boolean {
    if (this.#at === this.#end) return false;
    const tag = this.number();
    this.field = Math.floor(tag / 8);
    this.wire = tag % 8;
    if (this.field === 0) throw this.refusal('has a field without a number');
    return true;
  }

  varint(): Varint {
    let low = 0;
    let factor = 1;
    for (let i = 0; i < 10; i++) {
      if (this.#at >= this.#end) throw this.refusal('ends in the middle of a number');
      const byte = this.#bytes[this.#at++]!;
      // Seven times seven bits are exact in a number.
      if (i === 7) return this.#large(BigInt(low), byte);
      low += (byte & 0x7f) * factor;
      if (byte < 0x80) return low;
      factor *= 0x80;
    }
    throw this.refusal('has a number that never ends');
  }

  #large(low: bigint, first: number): Varint {
    let value = low | (BigInt(first & 0x7f) << 49n);
    let byte = first;
    for (let shift = 56n; byte >= 0x80; shift += 7n) {
      if (this.#at >= this.#end) throw this.refusal('ends in the middle of a number');
      byte = this.#bytes[this.#at++]!;
      if (shift > 63n || (shift === 63n && byte > 1)) {
        throw this.refusal('has a number of more than 64 bits');
      }
      value |= BigInt(byte & 0x7f) << shift;
    }
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  }

  /** One that has to fit: an index, a length, a tag. */
  number(): number {
    const value = this.varint();
    if (typeof value === 'number') return value;
    throw this.refusal('has a number that is far too large');
  }

  /** The extent of what is delimited by its length. */
  span(): { start: number; end: number } {
    const length = this.number();
    const start = this.#at;
    if (length > this.#end - start) throw this.refusal('ends before what it announces');
    this.#at = start + length;
    return { start, end: this.#at };
  }

  message(): ProtobufReader {
    this.expect(WIRE.bytes);
    const { start, end } = this.span();
    return new ProtobufReader(this.#bytes, this.#name, start, end);
  }

  text(): string {
    this.expect(WIRE.bytes);
    const { start, end } = this.span();
    return new TextDecoder().decode(this.#bytes.subarray(start, end));
  }

  single(): Varint {
    this.expect(WIRE.varint);
    return this.varint();
  }

  /** An index or a line of 32 bits and more. */
  index(): number {
    this.expect(WIRE.varint);
    return this.number();
  }

  /** A repeated number, packed or not. */
  repeated(into: Varint[]): void {
    if (this.wire === WIRE.varint) into.push(this.varint());
    else {
      const inner = this.message();
      while (inner.#at < inner.#end) into.push(inner.varint());
    }
  }

  skip(): void {
    switch (this.wire) {
      case WIRE.varint:
        this.varint();
        return;
      case WIRE.bytes:
        this.span();
        return;
      case WIRE.fixed32:
      case WIRE.fixed64: {
        const length = this.wire === WIRE.fixed32 ? 4 : 8;
        if (length > this.#end - this.#at) throw this.refusal('ends before what it announces');
        this.#at += length;
        return;
      }
      default:
        throw this.refusal(`has a field of no kind that there is (${this.wire})`);
    }
  }

  expect(wire: number): void {
    if (this.wire !== wire) throw this.refusal(`has field ${this.field} of another kind`);
  }

  refusal(what: string): FormatError {
    return new FormatError(`${this.#name} ${what}, at byte ${this.#at}`, {
      hint: 'is it a whole pprof profile?',
    });
  }
}
