import type { NodeSet } from '../../model/heap/node-set.ts';
import { keysOf, type Way } from './classifier.ts';
import type { Heap } from './heap.ts';

/** A table of so many keys is made even for few members. */
const FEW_KEYS = 1 << 20;

/** A set divided into rows, the largest first. */
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
    rowOf: renamed(ids, rank),
    label: (row) => named(order[row]!),
  };
}

/** In place: a list as long as the heap is not made twice. */
function renamed(ids: Uint32Array, names: Uint32Array): Uint32Array {
  for (let i = 0; i < ids.length; i++) ids[i] = names[ids[i]!]!;
  return ids;
}

interface Groups {
  /** Number of each member's key, in the order of first members. */
  readonly of: Uint32Array;
  readonly keys: readonly number[];
}

function grouped(keys: Uint32Array | Float64Array): Groups {
  if (keys instanceof Uint32Array) {
    let highest = 0;
    for (let i = 0; i < keys.length; i++) if (keys[i]! > highest) highest = keys[i]!;
    // Texts are fewer than objects.
    if (highest <= keys.length + FEW_KEYS) return groupedByTable(keys, highest);
  }
  const of = new Uint32Array(keys.length);
  const found: number[] = [];
  const known = new Map<number, number>();
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    let id = known.get(key);
    if (id === undefined) {
      id = found.push(key) - 1;
      known.set(key, id);
    }
    of[i] = id;
  }
  return { of, keys: found };
}

/** The same with a list in place of a map. */
function groupedByTable(keys: Uint32Array, highest: number): Groups {
  const of = new Uint32Array(keys.length);
  const found: number[] = [];
  // The number + 1; 0: not met yet.
  const known = new Uint32Array(highest + 1);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    if (known[key] === 0) known[key] = found.push(key);
    of[i] = known[key]! - 1;
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
