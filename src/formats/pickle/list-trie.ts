import { FormatError } from '../../base/errors.ts';
import { doubled, moreSlots } from '../../base/typed-arrays.ts';

const MAX_PROBES = 4096;
/** A power of two: more lists than a training step has. */
const RECENT = 1 << 14;

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
  /** Nodes + 1 of lists that were looked up, by the hash of the whole list. */
  readonly #recent = new Uint32Array(RECENT);

  /** The node of the list that holds these from the last to the first, as call stacks are written. */
  backward(items: Float64Array, from: number, to: number): number {
    let hash = 0;
    for (let i = from; i < to; i++) hash = mixed(hash, items[i]!);
    return this.hashedBackward(items, from, to, hash);
  }

  /** The same for who has `mixed` each of them on the way. */
  hashedBackward(items: Float64Array, from: number, to: number, hash: number): number {
    const slot = (hash ^ (hash >>> 15)) & (RECENT - 1);
    const recent = this.#recent[slot]! - 1;
    if (recent >= 0 && this.#isBackward(recent, items, from, to)) return recent;
    let node = -1;
    for (let i = to - 1; i >= from; i--) node = this.child(node, items[i]!);
    this.#recent[slot] = node + 1;
    return node;
  }

  #isBackward(list: number, items: Float64Array, from: number, to: number): boolean {
    let node = list;
    for (let i = from; i < to; i++) {
      if (this.items[node] !== items[i]) return false;
      const parent = this.parents[node]!;
      if (parent === node) return i + 1 === to;
      node = parent;
    }
    return false;
  }

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

/** The hash of a list with one item more; 0 is that of an empty one. */
export const mixed = (hash: number, item: number): number => Math.imul(hash ^ item, 0x9e3779b1);

function hashOf(parent: number, item: number): number {
  const mixed = Math.imul(Math.imul(parent + 1, 0x85ebca6b) ^ item, 0x9e3779b1);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
