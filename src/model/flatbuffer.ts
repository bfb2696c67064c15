import { FormatError } from '../base/errors.ts';

/**
 * The little of FlatBuffers that Arrow's headers need: tables, vectors, strings. Every offset is
 * checked before it is followed and nothing is ever allocated by what a header claims, so that a
 * damaged or hostile header ends in a FormatError and not in a hang.
 * https://flatbuffers.dev/internals
 */

/** Text that one header may have in all; a hostile one names the same long string a million times. */
const MAX_TEXT = 4 << 20;

const DECODER = new TextDecoder();

export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;
  readonly #slots: number;
  readonly #vtable: number;
  readonly #budget: { text: number };

  private constructor(view: DataView, at: number, budget: { text: number }) {
    this.#view = view;
    this.#at = at;
    this.#budget = budget;
    this.#vtable = at - view.getInt32(at, true);
    this.#slots = (view.getUint16(this.#vtable, true) - 4) >> 1;
  }

  /** The table that a buffer begins with. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true), { text: MAX_TEXT });
  }

  u8(slot: number): number {
    const at = this.#field(slot);
    return at === 0 ? 0 : this.#view.getUint8(at);
  }

  i16(slot: number): number {
    const at = this.#field(slot);
    return at === 0 ? 0 : this.#view.getInt16(at, true);
  }

  i32(slot: number): number {
    const at = this.#field(slot);
    return at === 0 ? 0 : this.#view.getInt32(at, true);
  }

  /** A 64-bit count. */
  size(slot: number): number {
    const at = this.#field(slot);
    return at === 0 ? 0 : sizeAt(this.#view, at);
  }

  has(slot: number): boolean {
    return this.#field(slot) !== 0;
  }

  table(slot: number): FlatTable | null {
    const at = this.#field(slot);
    return at === 0 ? null : new FlatTable(this.#view, this.#follow(at), this.#budget);
  }

  text(slot: number): string {
    const at = this.#field(slot);
    if (at === 0) return '';
    const start = this.#follow(at);
    const length = this.#view.getUint32(start, true);
    this.#budget.text -= length;
    if (this.#budget.text < 0) throw new FormatError('the texts in a header are too long');
    const { buffer, byteOffset } = this.#view;
    this.#need(start + 4, length);
    return DECODER.decode(new Uint8Array(buffer, byteOffset + start + 4, length));
  }

  /** How many items a vector has. */
  count(slot: number): number {
    return this.#vector(slot, 0, Number.POSITIVE_INFINITY).length;
  }

  tables(slot: number, most: number): FlatTable[] {
    const { start, length } = this.#vector(slot, 4, most);
    return Array.from({ length }, (_, i) => {
      const at = start + 4 * i;
      return new FlatTable(this.#view, this.#follow(at), this.#budget);
    });
  }

  /** A vector of structs of 64-bit counts, `width` of them each. */
  structs(slot: number, width: number, most: number): number[][] {
    const { start, length } = this.#vector(slot, 8 * width, most);
    return Array.from({ length }, (_, i) =>
      Array.from({ length: width }, (_, k) => sizeAt(this.#view, start + 8 * (width * i + k))),
    );
  }

  #vector(slot: number, itemBytes: number, most: number): { start: number; length: number } {
    const at = this.#field(slot);
    if (at === 0) return { start: 0, length: 0 };
    const vector = this.#follow(at);
    const length = this.#view.getUint32(vector, true);
    if (length > most) throw new FormatError(`a header lists ${length} things, more than ${most}`);
    this.#need(vector + 4, length * itemBytes);
    return { start: vector + 4, length };
  }

  /** Where a field's value lies; 0 when it has its default. */
  #field(slot: number): number {
    if (slot >= this.#slots) return 0;
    const offset = this.#view.getUint16(this.#vtable + 4 + 2 * slot, true);
    return offset === 0 ? 0 : this.#at + offset;
  }

  #follow(at: number): number {
    return at + this.#view.getUint32(at, true);
  }

  #need(start: number, length: number): void {
    if (start + length > this.#view.byteLength) throw new FormatError('a header is cut off');
  }
}

function sizeAt(view: DataView, at: number): number {
  const value = view.getBigInt64(at, true);
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new FormatError('a header has an impossible length');
  }
  return Number(value);
}
