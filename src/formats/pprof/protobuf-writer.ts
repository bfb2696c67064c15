/** The few kinds of fields that a profile is made of, written as protocol buffers have them. */
export class ProtobufWriter {
  #bytes = new Uint8Array(1 << 10);
  #length = 0;

  /** A whole number up to 2^53; 0 is what a field that is absent means. */
  number(field: number, value: number): this {
    if (value === 0) return this;
    this.#varint(field * 8);
    this.#varint(value);
    return this;
  }

  flag(field: number, value: boolean): this {
    return this.number(field, value ? 1 : 0);
  }

  /** A repeated number, packed. */
  numbers(field: number, values: readonly number[]): this {
    if (values.length === 0) return this;
    const inner = new ProtobufWriter();
    for (const value of values) inner.#varint(value);
    return this.bytes(field, inner.take());
  }

  /** A text, a message, or packed numbers; written even when empty. */
  bytes(field: number, value: Uint8Array): this {
    this.#varint(field * 8 + 2);
    this.#varint(value.length);
    this.#room(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  get length(): number {
    return this.#length;
  }

  /** What was written since the last time. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #varint(value: number): void {
    this.#room(10);
    let rest = value;
    // Above 31 bits the shifts of JavaScript are of no use.
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.#bytes[this.#length++] = (rest % 0x80) + 0x80;
    }
    this.#bytes[this.#length++] = rest;
  }

  #room(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#length + more));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
