import { UserError } from '../../../base/errors.ts';
import { doubled } from '../../../base/typed-arrays.ts';
import type { Blocks } from './blocks.ts';

/** Blocks in the order of size and then address, or of address alone. */
export class BlockList {
  count = 0;
  #blocks: Blocks;
  #items = new Int32Array(16);
  readonly #bySize: boolean;

  constructor(blocks: Blocks, order: 'size' | 'address') {
    this.#blocks = blocks;
    this.#bySize = order === 'size';
  }

  at(index: number): number {
    return this.#items[index]!;
  }

  /** The first position whose block is not smaller than a size. */
  firstOfSize(size: number): number {
    return this.#position(size, Number.NEGATIVE_INFINITY);
  }

  add(block: number): void {
    if (this.count === this.#items.length) this.#items = doubled(this.#items);
    const at = this.#place(block);
    this.#items.copyWithin(at + 1, at, this.count);
    this.#items[at] = block;
    this.count++;
  }

  /** Takes a block out; its size and address must be those it was added with. */
  delete(block: number): void {
    let at = this.#place(block);
    // Two at one address: only a trace that contradicts itself has them.
    while (at < this.count && this.#items[at] !== block) at++;
    if (at === this.count)
      throw new UserError('the trace contradicts itself: it cannot be replayed');
    this.#items.copyWithin(at, at + 1, this.count);
    this.count--;
  }

  /** A copy, for whoever changes the list on the way. */
  toArray(): Int32Array {
    return this.#items.slice(0, this.count);
  }

  #place(block: number): number {
    const { size, address } = this.#blocks;
    return this.#position(this.#bySize ? size[block]! : 0, address[block]!);
  }

  #position(size: number, address: number): number {
    const { size: sizes, address: addresses } = this.#blocks;
    const items = this.#items;
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = items[middle]!;
      const difference = this.#bySize ? sizes[other]! - size : 0;
      if (difference < 0 || (difference === 0 && addresses[other]! < address)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
