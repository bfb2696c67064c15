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
    const [items, sizes, count] = [this.#items, this.#sizes, this.count];
    if (count - at > FEW) {
      items.copyWithin(at + 1, at, count);
      sizes.copyWithin(at + 1, at, count);
    } else {
      for (let to = count; to > at; to--) {
        items[to] = items[to - 1]!;
        sizes[to] = sizes[to - 1]!;
      }
    }
    items[at] = block;
    sizes[at] = size;
    this.count++;
  }

  /** Takes a block out; its size and address must be those it was added with. */
  delete(block: number): void {
    let at = this.#place(block, this.#bySize ? this.#blocks.size[block]! : 0);
    // Two at one address: only a trace that contradicts itself has them.
    while (at < this.count && this.#items[at] !== block) at++;
    this.deleteAt(at);
  }

  deleteAt(at: number): void {
    if (at >= this.count)
      throw new UserError('the trace contradicts itself: it cannot be replayed');
    const [items, sizes, last] = [this.#items, this.#sizes, this.count - 1];
    if (last - at > FEW) {
      items.copyWithin(at, at + 1, this.count);
      sizes.copyWithin(at, at + 1, this.count);
    } else {
      for (let to = at; to < last; to++) {
        items[to] = items[to + 1]!;
        sizes[to] = sizes[to + 1]!;
      }
    }
    this.count = last;
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

  #place(block: number, size: number): number {
    const { address: addresses } = this.#blocks;
    const address = addresses[block]!;
    const [items, sizes] = [this.#items, this.#sizes];
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = sizes[middle]!;
      if (other < size || (other === size && addresses[items[middle]!]! < address)) {
        low = middle + 1;
      } else high = middle;
    }
    return low;
  }
}
