import { doubled, moreSlots } from '../../base/typed-arrays.ts';

/**
 * 64-bit addresses as small whole numbers. A trace names few addresses and each of them often, so
 * whoever replays it can keep an array instead of a map; and no BigInt is made for an event.
 */
export interface AddressBook {
  readonly count: number;
  /** The halves of the address that an id stands for. */
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

export class AddressIds implements AddressBook {
  count = 0;
  low = new Uint32Array(1024);
  high = new Uint32Array(1024);
  /** Open addressing: id + 1 of the address that fell here, 0 when free. */
  #slots = new Uint32Array(4096);

  intern(low: number, high: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash(low, high) & mask;
    for (;;) {
      const held = slots[slot]!;
      if (held === 0) break;
      if (this.low[held - 1] === low && this.high[held - 1] === high) return held - 1;
      slot = (slot + 1) & mask;
    }
    return this.#add(low, high, slot);
  }

  /** The id of an address that is in the book, or -1. */
  find(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash(low, high) & mask; ; slot = (slot + 1) & mask) {
      const held = this.#slots[slot]!;
      if (held === 0) return -1;
      if (this.low[held - 1] === low && this.high[held - 1] === high) return held - 1;
    }
  }

  #add(low: number, high: number, slot: number): number {
    const id = this.count++;
    if (id === this.low.length) {
      this.low = doubled(this.low);
      this.high = doubled(this.high);
    }
    this.low[id] = low;
    this.high[id] = high;
    this.#slots[slot] = id + 1;
    if (this.count * 2 > this.#slots.length) {
      const hashOf = (known: number) => hash(this.low[known]!, this.high[known]!);
      this.#slots = moreSlots(this.#slots, this.count, hashOf);
    }
    return id;
  }
}

/** Addresses are multiples of 512 or more: the low bits alone would all fall into one slot. */
function hash(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** The address as a number; exact below 2^53, and above it for multiples of what is lost. */
export function addressNumber(book: AddressBook, id: number): number {
  return book.high[id]! * 2 ** 32 + book.low[id]!;
}

/** The address exactly, for people: `0x7f3c…`. */
export function addressText(book: AddressBook, id: number): string {
  const low = book.low[id]!.toString(16);
  const high = book.high[id]!;
  return high === 0 ? `0x${low}` : `0x${high.toString(16)}${low.padStart(8, '0')}`;
}
