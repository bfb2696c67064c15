/** Finds nodes by their address. Open addressing in one typed array: a Map of millions takes ten times the room. */
export class Addresses {
  readonly #ids: Float64Array;
  readonly #slots: Uint32Array;
  readonly #mask: number;
  readonly #shift: number;

  /** `ids[0]` belongs to nobody: 0 in a slot means that it is free. */
  constructor(ids: Float64Array, count: number) {
    this.#ids = ids;
    const bits = Math.max(4, Math.ceil(Math.log2(count * 1.5)));
    this.#slots = new Uint32Array(2 ** bits);
    this.#mask = 2 ** bits - 1;
    this.#shift = 32 - bits;
    for (let node = 1; node < count; node++) {
      const id = ids[node]!;
      let slot = this.#hash(id >>> 0, (id / 2 ** 32) >>> 0);
      // Of two nodes that claim one address the first is found.
      while (this.#slots[slot] !== 0 && ids[this.#slots[slot]!] !== id)
        slot = (slot + 1) & this.#mask;
      if (this.#slots[slot] === 0) this.#slots[slot] = node;
    }
  }

  /** By the halves of an address; 0 where there is no such node. */
  find(low: number, high: number): number {
    const id = high * 2 ** 32 + low;
    let slot = this.#hash(low, high);
    for (;;) {
      const node = this.#slots[slot]!;
      if (node === 0 || this.#ids[node] === id) return node;
      slot = (slot + 1) & this.#mask;
    }
  }

  #hash(low: number, high: number): number {
    // Addresses come in long rows: multiplying spreads them evenly, where keeping their order made knots.
    const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
    return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> this.#shift;
  }
}
