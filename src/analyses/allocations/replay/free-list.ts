import { UserError } from '../../../base/errors.ts';
import { doubled } from '../../../base/typed-arrays.ts';
import type { Blocks } from './blocks.ts';

/** So many are moved faster one by one. */
const FEW = 24;

/** Blocks in the order of size and then address, or of address alone. */
export class BlockList {
  count = 0;
  readonly #blocks: Blocks;
  readonly #bySize: boolean;
  #items = new Int32Array(16);
  /** Their sizes beside them (0 where only addresses count): a search need not look into the blocks. */
  #sizes = new Float64Array(16);

  constructor(blocks: Blocks, order: 'size' | 'address') {
    this.#blocks = blocks;
    this.#bySize = order === 'size';
  }

  at(index: number): number {
    return this.#items[index]!;
  }

  /** The first position whose block is not smaller than a size. */
  firstOfSize(size: number): number {
    const sizes = this.#sizes;
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sizes[middle]! < size) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(block: number): void {
    if (this.count === this.#items.length) {
      this.#items = doubled(this.#items);
      this.#sizes = doubled(this.#sizes);
    }
    const size = this.#bySize ? this.#blocks.size[block]! : 0;
    const at = this.#place(block, size);
    move(this.#items, this.#sizes, at, this.count, at + 1);
    this.#items[at] = block;
    this.#sizes[at] = size;
    this.count++;
  }

  /** Takes a block out; its size and address must be those it was added with. */
  delete(block: number): void {
    this.deleteAt(this.positionOf(block));
  }

  /** Where a block stands; its size and address must be those it was added with. */
  positionOf(block: number): number {
    let at = this.#place(block, this.#bySize ? this.#blocks.size[block]! : 0);
    // Two at one address: only a trace that contradicts itself has them.
    while (at < this.count && this.#items[at] !== block) at++;
    if (at === this.count) throw contradiction();
    return at;
  }

  /** A block takes the place of the one at `at`, or its own in the order: only those between the two are moved. */
  replaceAt(at: number, block: number): void {
    const size = this.#bySize ? this.#blocks.size[block]! : 0;
    const [items, sizes] = [this.#items, this.#sizes];
    const address = this.#blocks.address[block]!;
    let to = at;
    if (at + 1 < this.count && this.#isBefore(at + 1, size, address)) {
      to = this.#place(block, size, at + 1, this.count) - 1;
      move(items, sizes, at + 1, to + 1, at);
    } else if (at > 0 && !this.#isBefore(at - 1, size, address)) {
      to = this.#place(block, size, 0, at);
      move(items, sizes, to, at, to + 1);
    }
    items[to] = block;
    sizes[to] = size;
  }

  deleteAt(at: number): void {
    move(this.#items, this.#sizes, at + 1, this.count, at);
    this.count--;
  }

  /** A copy, for whoever changes the list on the way. */
  toArray(): Int32Array {
    return this.#items.slice(0, this.count);
  }

  /** Becomes the same as another, of blocks that are the same. */
  take(other: BlockList): void {
    this.count = other.count;
    const room = Math.max(1, other.count);
    this.#items = other.#items.slice(0, room);
    this.#sizes = other.#sizes.slice(0, room);
  }

  /** The first position, of those between two, that is not before a block. */
  #place(block: number, size: number, from = 0, to = this.count): number {
    const address = this.#blocks.address[block]!;
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(middle, size, address)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore(index: number, size: number, address: number): boolean {
    const other = this.#sizes[index]!;
    if (other !== size) return other < size;
    return this.#blocks.address[this.#items[index]!]! < address;
  }
}

const contradiction = () => new UserError('the trace contradicts itself: it cannot be replayed');

/** Moves those from `from` up to `end` to the place right before or behind it. */
function move(items: Int32Array, sizes: Float64Array, from: number, end: number, to: number): void {
  if (end - from > FEW) {
    items.copyWithin(to, from, end);
    sizes.copyWithin(to, from, end);
  } else if (to > from) {
    for (let at = end - 1; at >= from; at--) {
      items[at + 1] = items[at]!;
      sizes[at + 1] = sizes[at]!;
    }
  } else {
    for (let at = from; at < end; at++) {
      items[at - 1] = items[at]!;
      sizes[at - 1] = sizes[at]!;
    }
  }
}
