import type { NodeSet } from '../../model/heap/node-set.ts';
import { keysOf, type Way } from './classifier.ts';
import type { Heap } from './heap.ts';

/** A set told apart into rows, the largest first. */
export interface Partition {
  readonly heap: Heap;
  readonly set: NodeSet;
  readonly way: Way;
  readonly header: string;
  /** Bytes of all members. */
  readonly size: number;
  readonly rows: number;
  readonly counts: Uint32Array;
  readonly sizes: Float64Array;
  /** Row of each member, side by side with `set`. */
  readonly rowOf: Uint32Array;
  label(row: number): string;
}

export function partitionOf(heap: Heap, set: NodeSet = heap.objects, way: Way = 'kind'): Partition {
  const { keys, label, header } = keysOf(heap, set, way);
  const { size } = heap.graph.nodes;
  const group = way === 'id' ? null : grouped(keys);
  const ids = group?.of ?? Uint32Array.from(set, (_, i) => i);
  const found = group?.keys ?? [...set];
  const counts = new Uint32Array(found.length);
  const sizes = new Float64Array(found.length);
  let total = 0;
  for (let i = 0; i < set.length; i++) {
    const bytes = size[set[i]!]!;
    counts[ids[i]!]!++;
    sizes[ids[i]!]! += bytes;
    total += bytes;
  }
  const labels = new Map<number, string>();
  const named = (id: number) => {
    let text = labels.get(id);
    if (text === undefined) {
      text = label(found[id]!);
      labels.set(id, text);
    }
    return text;
  };
  // Labels of single objects are many, and are made only for the rows that are looked at.
  const tie = (a: number, b: number) =>
    way === 'id' ? a - b : named(a) < named(b) ? -1 : named(a) > named(b) ? 1 : a - b;
  const order = Uint32Array.from(found, (_, id) => id).sort(
    (a, b) => sizes[b]! - sizes[a]! || tie(a, b),
  );
  const rank = new Uint32Array(order.length);
  for (let row = 0; row < order.length; row++) rank[order[row]!] = row;
  return {
    heap,
    set,
    way,
    header,
    size: total,
    rows: order.length,
    counts: Uint32Array.from(order, (id) => counts[id]!),
    sizes: Float64Array.from(order, (id) => sizes[id]!),
    rowOf: ids.map((id) => rank[id]!),
    label: (row) => named(order[row]!),
  };
}

/** Numbers each key in the order of its first member. */
function grouped(keys: Uint32Array | Float64Array): { of: Uint32Array; keys: number[] } {
  const of = new Uint32Array(keys.length);
  const found: number[] = [];
  const known = new Map<number, number>();
  let last = Number.NaN;
  let lastId = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    // Neighbours are often alike.
    if (key !== last) {
      const seen = known.get(key);
      lastId = seen ?? found.push(key) - 1;
      if (seen === undefined) known.set(key, lastId);
      last = key;
    }
    of[i] = lastId;
  }
  return { of, keys: found };
}

/** The members of rows `from` up to, not including, `to`. */
export function membersOf({ set, rowOf }: Partition, from: number, to = from + 1): NodeSet {
  const members = new Uint32Array(set.length);
  let length = 0;
  for (let i = 0; i < set.length; i++) {
    if (rowOf[i]! >= from && rowOf[i]! < to) members[length++] = set[i]!;
  }
  return members.slice(0, length);
}
