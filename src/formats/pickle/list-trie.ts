import { FormatError } from '../../base/errors.ts';
import { doubled, moreSlots } from '../../base/typed-arrays.ts';

const MAX_PROBES = 4096;

/**
 * Lists of numbers as a tree, each list once: a node is the last number of a list and the node of
 * all before it. Call stacks repeat so much that a million lists are a few hundred nodes.
 */
export class ListTrie {
  count = 0;
  /** The node before; a list's first node names itself. */
  parents = new Uint32Array(1024);
  items = new Uint32Array(1024);
  #slots = new Uint32Array(4096);

  /** The node of `item` after `parent`; -1 for the first of a list. */
  child(parent: number, item: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(parent, item) & mask;
    for (let probes = 0; ; probes++, slot = (slot + 1) & mask) {
      const held = slots[slot]!;
      if (held === 0) break;
      const node = held - 1;
      const found = this.parents[node]!;
      if (this.items[node] === item && (found === node ? parent === -1 : found === parent)) {
        return node;
      }
      if (probes > MAX_PROBES) throw new FormatError('lists that were made to slow a reader down');
    }
    return this.#add(parent, item, slot);
  }

  #add(parent: number, item: number, slot: number): number {
    const node = this.count++;
    if (node === this.items.length) {
      this.parents = doubled(this.parents);
      this.items = doubled(this.items);
    }
    this.parents[node] = parent === -1 ? node : parent;
    this.items[node] = item;
    this.#slots[slot] = node + 1;
    if (this.count * 2 > this.#slots.length) {
      this.#slots = moreSlots(this.#slots, this.count, (known) => this.#hashAt(known));
    }
    return node;
  }

  #hashAt(node: number): number {
    const parent = this.parents[node]!;
    return hashOf(parent === node ? -1 : parent, this.items[node]!);
  }
}

function hashOf(parent: number, item: number): number {
  const mixed = Math.imul(Math.imul(parent + 1, 0x85ebca6b) ^ item, 0x9e3779b1);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
