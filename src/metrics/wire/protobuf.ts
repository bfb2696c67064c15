/** Protocol Buffers' wire format, as far as it is written here. https://protobuf.dev/programming-guides/encoding */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const text = new TextEncoder();

/** A message that grows field by field. */
export class Message {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Valid until the next field. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  string(field: number, value: string): this {
    return this.blob(field, text.encode(value));
  }

  blob(field: number, bytes: Uint8Array): this {
    this.#varint(field * 8 + BYTES);
    this.#varint(bytes.length);
    return this.fields(bytes);
  }

  /** Fields of this message that have been written before. */
  fields(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** A message within this one. */
  message(field: number, fill: (inner: Message) => void): this {
    const inner = new Message();
    fill(inner);
    return this.blob(field, inner.bytes);
  }

  double(field: number, value: number): this {
    this.#varint(field * 8 + FIXED64);
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
    return this;
  }

  fixed64(field: number, value: bigint): this {
    this.#varint(field * 8 + FIXED64);
    this.#reserve(8);
    this.#view.setBigUint64(this.#length, value, true);
    this.#length += 8;
    return this;
  }

  /** A whole number that is not negative, up to 2^53. */
  number(field: number, value: number): this {
    this.#varint(field * 8 + VARINT);
    this.#varint(value);
    return this;
  }

  /** Whole numbers in one field. */
  packed(field: number, values: readonly number[]): this {
    const inner = new Message();
    for (const value of values) inner.#varint(value);
    return this.blob(field, inner.bytes);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    // Not by bits, of which numbers have only 32.
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
