import { Readable } from 'node:stream';
import { getHeapSnapshot } from 'node:v8';
import {
  type Heap as HeapData,
  type HeapHolders,
  type HeapPaths,
  type HeapTable,
  heapOf,
  holdersOf,
  type Identities,
  identitiesOf,
  membersOf,
  minusHeap,
  type Partition,
  parseWay,
  partitionOf,
  pathsTo,
  referentsOf,
  referrersOfSet,
  retainedSize,
  statOf,
  tableOf,
} from '../../analyses/heap/index.ts';
import { writeHeapyStat } from '../../formats/heapy-stat.ts';
import { v8Heap } from '../../formats/v8-heap/index.ts';
import type { NodeSet } from '../../model/heap/node-set.ts';
import { partitionText, pathsText } from '../../views/heap/index.ts';

let relative: Identities | null = null;

/**
 * The objects of this program, told apart by kind: `console.log(String(await heap()))`. V8 stops the
 * program to write its heap down, which takes about ten times the heap's size in memory.
 */
export async function heap(): Promise<HeapSet> {
  const data = await taken();
  const objects = relative ? minusHeap(data, data.objects, relative) : data.objects;
  return new HeapSet(partitionOf(data, objects));
}

/** From now on `heap()` has only objects that were made later; `setRelativeHeap(null)` ends that. */
export async function setRelativeHeap(since?: null): Promise<void> {
  relative = since === null ? null : identitiesOf(await taken());
}

async function taken(): Promise<HeapData> {
  const stream: AsyncIterable<Uint8Array> = Readable.from(getHeapSnapshot());
  const graph = await v8Heap.read({
    name: 'this heap',
    size: null,
    modified: Date.now(),
    stream: () => stream,
  });
  return heapOf(graph);
}

/** Some objects and their table. Everything is read only; the objects themselves are not held. */
export class HeapSet {
  readonly #partition: Partition;

  constructor(partition: Partition) {
    this.#partition = partition;
  }

  get count(): number {
    return this.#partition.set.length;
  }

  /** Bytes of the objects themselves. */
  get size(): number {
    return this.#partition.size;
  }

  /** Bytes that would go with them. */
  get retained(): number {
    return retainedSize(this.#partition.heap, this.#partition.set);
  }

  /** How many rows the table has. */
  get length(): number {
    return this.#partition.rows;
  }

  /** The objects of a row, or of rows `from` up to, not including, `to`. */
  row(from: number, to = from + 1): HeapSet {
    return this.#with(membersOf(this.#partition, from, to));
  }

  /** Told apart by `kind`, `type`, `size`, `rcs`, `module` or `id`. */
  by(way: string): HeapSet {
    const { heap: data, set } = this.#partition;
    return new HeapSet(partitionOf(data, set, parseWay(way)));
  }

  get referents(): HeapSet {
    return this.#with(referentsOf(this.#partition.heap, this.#partition.set));
  }

  get referrers(): HeapSet {
    return this.#with(referrersOfSet(this.#partition.heap, this.#partition.set));
  }

  /** Objects of this set that another one of the same program does not have. */
  minus(other: HeapSet): HeapSet {
    const { heap: data, set } = this.#partition;
    return this.#with(minusHeap(data, set, identitiesOf(other.#partition.heap)));
  }

  /** Shortest ways from the roots to the nearest of these objects. */
  paths(options: { from?: number; limit?: number } = {}): HeapPaths & { toString(): string } {
    const found = pathsTo(this.#partition.heap, this.#partition.set, options);
    return Object.defineProperty({ ...found }, 'toString', { value: () => pathsText(found) });
  }

  /** The single objects that keep most alive. */
  holders(options: { from?: number; limit?: number } = {}): HeapHolders {
    return holdersOf(this.#partition.heap, this.#partition.set, options);
  }

  table(options: { from?: number; limit?: number; retained?: boolean } = {}): HeapTable {
    return tableOf(this.#partition, options);
  }

  /** The whole table as a text that Heapy and `highwater heap` read. */
  stat(): string {
    return [...writeHeapyStat(statOf(this.#partition, Date.now() / 1000))].join('');
  }

  toJSON(): HeapTable {
    return this.table();
  }

  toString(): string {
    return partitionText(this.table());
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #with(set: NodeSet): HeapSet {
    const { heap: data, way } = this.#partition;
    return new HeapSet(partitionOf(data, set, way));
  }
}
