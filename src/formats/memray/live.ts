/** Blocks by address, and what was mapped by range: memory may be unmapped in parts. */
export class LiveBlocks {
  readonly #blocks = new ByAddress<Block>();
  #ranges: Range[] = [];
  readonly #change: (site: number, bytes: number, objects: number) => void;

  /** `change` is told of everything that comes and goes. */
  constructor(change: (site: number, bytes: number, objects: number) => void) {
    this.#change = change;
  }

  made(address: number, size: number, site: number): void {
    this.freed(address);
    this.#blocks.set(address, { size, site });
    this.#change(site, size, 1);
  }

  /** What was made before the capture began is not known, and no matter. */
  freed(address: number): void {
    const block = this.#blocks.get(address);
    if (!block) return;
    this.#blocks.delete(address);
    this.#change(block.site, -block.size, -1);
  }

  mapped(address: number, size: number, site: number): void {
    this.#ranges.push({ from: address, to: address + size, site });
    this.#change(site, size, 1);
  }

  unmapped(address: number, size: number): void {
    const end = address + size;
    if (!this.#ranges.some(({ from, to }) => from < end && to > address)) return;
    this.#ranges = this.#ranges.flatMap((range) => {
      const { from, to, site } = range;
      const gone = Math.min(to, end) - Math.max(from, address);
      if (gone <= 0) return [range];
      const left = [
        { from, to: Math.min(to, address), site },
        { from: Math.max(from, end), to, site },
      ].filter((part) => part.to > part.from);
      this.#change(site, -gone, left.length - 1);
      return left;
    });
  }
}

interface Block {
  readonly size: number;
  readonly site: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly site: number;
}

/** Slots of the table; doubled while more than half of them are taken. */
const LEAST_SLOTS = 1 << 12;
const FREE = -1;

/**
 * What lies at which address: a hash table with open addressing. An address that is free keeps its slot until the table is made anew, as
 * the next block is likely to lie there again: a Map takes a further entry for each of them, and looks through all of these.
 */
class ByAddress<T> {
  #keys = new Float64Array(LEAST_SLOTS).fill(FREE);
  #values: (T | undefined)[] = new Array(LEAST_SLOTS);
  /** With those that are free again. */
  #taken = 0;
  #count = 0;

  get(address: number): T | undefined {
    return this.#values[this.#find(address)];
  }

  set(address: number, value: T): void {
    const known = this.#find(address);
    if (this.#keys[known] === address) {
      if (this.#values[known] === undefined) this.#count++;
      this.#values[known] = value;
      return;
    }
    this.#keys[known] = address;
    this.#values[known] = value;
    this.#count++;
    if (++this.#taken * 2 > this.#keys.length) this.#anew();
  }

  delete(address: number): void {
    const slot = this.#find(address);
    if (this.#values[slot] === undefined) return;
    this.#values[slot] = undefined;
    this.#count--;
  }

  /** Where the address is, or the free slot where it would be. */
  #find(address: number): number {
    const mask = this.#keys.length - 1;
    let slot = hashOf(address) & mask;
    while (this.#keys[slot] !== address && this.#keys[slot] !== FREE) slot = (slot + 1) & mask;
    return slot;
  }

  #anew(): void {
    const [keys, values] = [this.#keys, this.#values];
    const slots = this.#count * 4 > keys.length ? keys.length * 2 : keys.length;
    this.#keys = new Float64Array(slots).fill(FREE);
    this.#values = new Array(slots);
    this.#taken = this.#count;
    for (const [i, key] of keys.entries()) {
      if (values[i] === undefined) continue;
      const slot = this.#find(key);
      this.#keys[slot] = key;
      this.#values[slot] = values[i];
    }
  }
}

/** Blocks lie at multiples of eight. */
function hashOf(address: number): number {
  const units = address / 8;
  const mixed = Math.imul((units >>> 0) ^ Math.imul(units / 2 ** 32, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
