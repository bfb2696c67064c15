import { lastUpTo } from '../../../base/search.ts';
import { type Anatomy, ENGINE, hostOf, OBJECT } from '../../../model/heap/anatomy.ts';
import { NO_EDGE } from '../../../model/heap/distances.ts';
import type { HeapGraph } from '../../../model/heap/graph.ts';
import type { Heap } from '../heap.ts';

/** Nobody holds it: a root, or what waits for the collector. */
export const NOBODY = 0xffff_ffff;

/**
 * All that is kept of an earlier heap: its objects with what they weigh and who holds them, without references. A
 * row is an object with its stores, by ascending id.
 */
export interface Roll {
  readonly runtime: HeapGraph['runtime'];
  readonly count: number;
  readonly ids: Float64Array;
  readonly kinds: Uint32Array;
  readonly kindTexts: ReadonlyMap<number, string>;
  /** Bytes of the object and its stores. */
  readonly sizes: Float64Array;
  /** Bytes of what the engine made for it: code, shapes. */
  readonly engine: Float64Array;
  /** Row of the one that alone keeps it alive; NOBODY. */
  readonly owners: Uint32Array;
  readonly vias: Uint32Array;
  /** Rows of two that refer to it, the first of them nearest to the roots; NOBODY where there are fewer. */
  readonly anchors: readonly [Uint32Array, Uint32Array];
  readonly entries: Uint32Array;
  /** Bytes that would go with it. */
  readonly retained: Float64Array;
}

export function rollOf(heap: Heap): Roll {
  const { nodes, strings, runtime } = heap.graph;
  const { owner, via, entries } = heap.anatomy();
  const { sizes, engine } = weightsOf(heap);
  const { retained } = heap.dominators();
  const order = objectsById(heap.graph, heap.anatomy());
  const row = new Uint32Array(nodes.count + 1).fill(NOBODY);
  for (let at = 0; at < order.length; at++) row[order[at]!] = at;
  const kinds = Uint32Array.from(order, (node) => nodes.kind[node]!);
  return {
    runtime,
    count: order.length,
    ids: Float64Array.from(order, (node) => nodes.id[node]!),
    kinds,
    kindTexts: new Map([...new Set(kinds)].map((kind) => [kind, strings.text(kind)])),
    sizes: Float64Array.from(order, (node) => sizes[node]!),
    engine: Float64Array.from(order, (node) => engine[node]!),
    owners: Uint32Array.from(order, (node) => row[owner[node]!]!),
    vias: Uint32Array.from(order, (node) => via[node]!),
    anchors: anchorsOf(heap, order, row),
    entries: Uint32Array.from(order, (node) => entries[node]!),
    retained: Float64Array.from(order, (node) => retained[node]!),
  };
}

function anchorsOf(heap: Heap, order: Uint32Array, row: Uint32Array): Roll['anchors'] {
  const { nodes } = heap.graph;
  const anatomy = heap.anatomy();
  const { edge: cameBy } = heap.distances();
  const { first, from } = heap.referrers();
  const hostRow = (node: number) => row[hostOf(anatomy, node)]!;
  const nearest = Uint32Array.from(order, (node) =>
    cameBy[node] === NO_EDGE
      ? NOBODY
      : hostRow(lastUpTo(nodes.firstEdge, cameBy[node]!, nodes.count)),
  );
  const other = Uint32Array.from(order, (node, at) => {
    for (let i = first[node + 1]! - 1; i >= first[node]!; i--) {
      const found = hostRow(from[i]!);
      if (found !== nearest[at] && found !== at) return found;
    }
    return NOBODY;
  });
  return [nearest, other];
}

/** By object: bytes of it and its stores, and of what the engine made for it. */
export function weightsOf(heap: Heap): { sizes: Float64Array; engine: Float64Array } {
  const { nodes } = heap.graph;
  const { part, owner } = heap.anatomy();
  const sizes = new Float64Array(nodes.count + 1);
  const engine = new Float64Array(nodes.count + 1);
  for (let node = 0; node < nodes.count; node++) {
    const host = part[node] === OBJECT ? node : owner[node]!;
    (part[node] === ENGINE ? engine : sizes)[host]! += nodes.size[node]!;
  }
  return { sizes, engine };
}

function objectsById({ nodes }: HeapGraph, { part }: Anatomy): Uint32Array {
  const { id } = nodes;
  const found = new Uint32Array(nodes.count);
  let [length, sorted] = [0, true];
  for (let node = 0; node < nodes.count; node++) {
    if (part[node] !== OBJECT) continue;
    if (length > 0 && id[found[length - 1]!]! > id[node]!) sorted = false;
    found[length++] = node;
  }
  const objects = found.subarray(0, length);
  return sorted ? objects : objects.sort((a, b) => id[a]! - id[b]!);
}
