import { doubled } from '../../../base/typed-arrays.ts';

/** In place of a block: none. */
export const NONE = -1;

export const STATE = { free: 0, used: 1, pending: 2, unmapped: 3 } as const;

/**
 * Blocks of the replayed allocator as columns, each known by a number that is used again once the
 * block is gone: a replay of millions of events makes no object for any of them.
 */
export class Blocks {
  /** Where it begins; made-up addresses keep the order of real ones. */
  address = new Float64Array(1024);
  size = new Float64Array(1024);
  /** Neighbours in the same segment, or NONE. */
  before = new Int32Array(1024);
  after = new Int32Array(1024);
  /** The list (stream, pool, small or large) that it belongs to. */
  list = new Uint32Array(1024);
  /** Codes of STATE. */
  state = new Uint8Array(1024);
  /** The base address of its expandable segment, or NaN. */
  expandable = new Float64Array(1024);
  /** Lookups in its pool when it became free. */
  freeSince = new Float64Array(1024);
  #count = 0;
  #unused: number[] = [];

  add(list: number, address: number, size: number, expandable: number): number {
    let block = this.#unused.pop();
    if (block === undefined) {
      block = this.#count++;
      if (block === this.size.length) this.#grow();
    }
    this.address[block] = address;
    this.size[block] = size;
    this.before[block] = NONE;
    this.after[block] = NONE;
    this.list[block] = list;
    this.state[block] = STATE.free;
    this.expandable[block] = expandable;
    this.freeSince[block] = 0;
    return block;
  }

  remove(block: number): void {
    this.#unused.push(block);
  }

  /** Puts a block between two that touched, of which either may be NONE. */
  splice(block: number, before: number, after: number): void {
    this.before[block] = before;
    this.after[block] = after;
    if (before !== NONE) this.after[before] = block;
    if (after !== NONE) this.before[after] = block;
  }

  isWhole(block: number): boolean {
    return this.before[block] === NONE && this.after[block] === NONE;
  }

  isExpandable(block: number): boolean {
    return !Number.isNaN(this.expandable[block]!);
  }

  /** Becomes the same as others. */
  take(others: Blocks): void {
    const room = Math.max(1, others.#count);
    this.address = others.address.slice(0, room);
    this.size = others.size.slice(0, room);
    this.before = others.before.slice(0, room);
    this.after = others.after.slice(0, room);
    this.list = others.list.slice(0, room);
    this.state = others.state.slice(0, room);
    this.expandable = others.expandable.slice(0, room);
    this.freeSince = others.freeSince.slice(0, room);
    this.#count = others.#count;
    this.#unused = [...others.#unused];
  }

  #grow(): void {
    this.address = doubled(this.address);
    this.size = doubled(this.size);
    this.before = doubled(this.before);
    this.after = doubled(this.after);
    this.list = doubled(this.list);
    this.state = doubled(this.state);
    this.expandable = doubled(this.expandable);
    this.freeSince = doubled(this.freeSince);
  }
}
