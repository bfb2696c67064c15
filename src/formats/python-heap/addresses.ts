/** Objects lie at multiples of this, so that a page has a slot for each place where one may begin. */
const GRAIN_BITS = 4;
/** Pages of 4 KiB; where objects lie far apart, of 256 bytes, so that room is made for 16 at most for each. */
const [WIDE_BITS, NARROW_BITS] = [12, 8] as const;
const MOST_SLOTS = 32;

/**
 * Finds nodes by their address. Objects that were made together lie together and refer to each other: a table in
 * the order of memory, in pages, finds neighbours among neighbours, where hashing each would scatter them.
 */
export class Addresses {
  readonly #ids: Float64Array;
  readonly #pages: Pages;
  readonly #slots: Uint32Array;
  /** Those whose slot is another's: two objects cannot begin within the same 16 bytes, but data may. */
  readonly #others = new Map<number, number>();

  /** `ids[0]` belongs to nobody: 0 in a slot means that it is free. */
  constructor(ids: Float64Array, count: number) {
    this.#ids = ids;
    let pages = pagesOf(ids, count, WIDE_BITS);
    const slotted = pages.count * 2 ** (WIDE_BITS - GRAIN_BITS);
    if (slotted > Math.min(MOST_SLOTS * count, 2 ** 31)) pages = pagesOf(ids, count, NARROW_BITS);
    this.#pages = pages;
    const slots = new Uint32Array(pages.count << (pages.bits - GRAIN_BITS));
    this.#slots = slots;
    for (let node = 1; node < count; node++) {
      const id = ids[node]!;
      const at = pages.slot(id >>> 0, (id / 2 ** 32) >>> 0);
      // Of two nodes that claim one address the first is found.
      if (slots[at] === 0) slots[at] = node;
      else if (ids[slots[at]!] !== id && !this.#others.has(id)) this.#others.set(id, node);
    }
  }

  /** By the halves of an address; 0 where there is no such node. */
  find(low: number, high: number): number {
    const at = this.#pages.slot(low, high);
    if (at < 0) return 0;
    const node = this.#slots[at]!;
    const id = high * 2 ** 32 + low;
    if (node === 0 || this.#ids[node] === id) return node;
    return this.#others.get(id) ?? 0;
  }
}

function pagesOf(ids: Float64Array, count: number, bits: number): Pages {
  const pages = new Pages(bits);
  for (let node = 1; node < count; node++) {
    const id = ids[node]!;
    pages.add(id >>> 0, (id / 2 ** 32) >>> 0);
  }
  return pages;
}

/** Numbers pages as they are met: open addressing in one typed array. */
class Pages {
  readonly bits: number;
  count = 0;
  /** A page, and its number plus 1; 0: free. */
  #table = new Int32Array(2 << 10);
  #mask = (1 << 10) - 1;
  #last = 0;

  constructor(bits: number) {
    this.bits = bits;
  }

  add(low: number, high: number): void {
    const page = this.#page(low, high);
    if (page === this.#last && this.count > 0) return;
    this.#last = page;
    const at = this.#find(page);
    if (this.#table[at + 1] !== 0) return;
    this.#table[at] = page;
    this.#table[at + 1] = ++this.count;
    if (this.count * 2 > this.#mask) this.#grow();
  }

  /** Where an address belongs among the slots of all pages; -1 where nothing is on its page. */
  slot(low: number, high: number): number {
    const number = this.#table[this.#find(this.#page(low, high)) + 1]!;
    if (number === 0) return -1;
    const bits = this.bits - GRAIN_BITS;
    return ((number - 1) << bits) | ((low >>> GRAIN_BITS) & ((1 << bits) - 1));
  }

  /** Cut to 32 bits: pages that are far apart may share a number, and then slots. */
  #page(low: number, high: number): number {
    return (high << (32 - this.bits)) | (low >>> this.bits);
  }

  #find(page: number): number {
    const table = this.#table;
    const mask = this.#mask;
    const mixed = Math.imul(page, 0x9e3779b1);
    let at = (mixed ^ (mixed >>> 15)) & mask;
    while (table[2 * at + 1] !== 0 && table[2 * at] !== page) at = (at + 1) & mask;
    return 2 * at;
  }

  #grow(): void {
    const table = this.#table;
    this.#mask = this.#mask * 2 + 1;
    this.#table = new Int32Array(2 * table.length);
    for (let i = 0; i < table.length; i += 2) {
      if (table[i + 1] === 0) continue;
      const at = this.#find(table[i]!);
      this.#table[at] = table[i]!;
      this.#table[at + 1] = table[i + 1]!;
    }
  }
}
