import { firstFrom } from '../../../base/search.ts';
import { OBJECT } from '../../../model/heap/anatomy.ts';
import { ENTRY } from '../../../model/heap/edge-naming.ts';
import { strongEdgeTypes } from '../../../model/heap/strong-references.ts';
import type { Heap } from '../heap.ts';
import { NOBODY, type Roll, weightsOf } from './roll.ts';

/** What came and went below one object by one name, and how much it grew itself. */
export interface Group {
  readonly host: number;
  readonly via: number;
  /** Objects that came, each with what only it holds; their bytes. */
  fresh: number;
  freshBytes: number;
  gone: number;
  goneBytes: number;
  /** Bytes that the host itself became larger by. */
  grown: number;
}

/** What changed from an earlier heap to a later one, in the tree of the later. */
export interface Change {
  /** By object: 1 where the earlier heap has it too. */
  readonly same: Uint8Array;
  /** By object that is new: the topmost new one above it. */
  readonly top: Uint32Array;
  /** By topmost new object: bytes that are new in and below it. */
  readonly weight: Float64Array;
  /** Host first, then name; the count of nodes is the host of what nobody holds. */
  readonly groups: ReadonlyMap<number, ReadonlyMap<number, Group>>;
  /** Bytes of code and shapes that the engine made for objects that were there before. */
  readonly engine: number;
}

export function changeBetween(before: Roll, heap: Heap): Change {
  const { nodes } = heap.graph;
  const { owner, via, part } = heap.anatomy();
  const { order } = heap.dominators();
  const { sizes, engine } = weightsOf(heap);
  const row = rowsOf(before, heap);
  const same = sameObjects(before, heap, row);
  const groups = new Groups();
  const seen = new Uint32Array(before.count);
  const top = new Uint32Array(nodes.count);
  const weight = new Float64Array(nodes.count);
  let engineBytes = 0;
  for (let i = 0; i < order.length; i++) {
    const node = order[i]!;
    if (part[node] !== OBJECT) continue;
    const above = owner[node]!;
    if (same[node] === 0) {
      top[node] = above < nodes.count && same[above] === 0 ? top[above]! : node;
      weight[top[node]!]! += sizes[node]! + engine[node]!;
      continue;
    }
    const at = row[node]!;
    seen[at] = node + 1;
    engineBytes += engine[node]! - before.engine[at]!;
    const grown = sizes[node]! - before.sizes[at]!;
    if (grown !== 0) groups.of(node, ENTRY).grown += grown;
  }
  for (let node = 0; node < nodes.count; node++) {
    if (part[node] !== OBJECT || same[node] === 1 || top[node] !== node) continue;
    const group = groups.of(owner[node]!, via[node]!);
    group.fresh++;
    group.freshBytes += weight[node]!;
  }
  addGone(before, seen, nodes.count, groups);
  return { same, top, weight, groups: groups.all, engine: engineBytes };
}

class Groups {
  readonly all = new Map<number, Map<number, Group>>();

  of(host: number, via: number): Group {
    let named = this.all.get(host);
    if (!named) {
      named = new Map();
      this.all.set(host, named);
    }
    let group = named.get(via);
    if (!group) {
      group = { host, via, fresh: 0, freshBytes: 0, gone: 0, goneBytes: 0, grown: 0 };
      named.set(via, group);
    }
    return group;
  }
}

/** By node: the row of the same id and kind in the earlier heap; NOBODY. */
function rowsOf(before: Roll, { graph, anatomy }: Heap): Uint32Array {
  const { nodes, strings } = graph;
  const { part } = anatomy();
  const numbers = new Map([...before.kindTexts].map(([kind, text]) => [text, kind]));
  const kinds = new Map<number, number>();
  const kindOf = (kind: number) => {
    let known = kinds.get(kind);
    if (known === undefined) {
      known = numbers.get(strings.text(kind)) ?? -1;
      kinds.set(kind, known);
    }
    return known;
  };
  const rows = new Uint32Array(nodes.count).fill(NOBODY);
  for (let node = 0; node < nodes.count; node++) {
    if (part[node] !== OBJECT) continue;
    const at = firstFrom(before.ids, nodes.id[node]!);
    if (before.ids[at] === nodes.id[node] && before.kinds[at] === kindOf(nodes.kind[node]!))
      rows[node] = at;
  }
  return rows;
}

/**
 * V8 never uses an id twice. In Python it is an address, which another may have got since: it is the same object
 * where one that referred to it before, and is the same itself, still does.
 */
function sameObjects(before: Roll, heap: Heap, row: Uint32Array): Uint8Array {
  const { graph } = heap;
  const { nodes, edges } = graph;
  const { owner, part } = heap.anatomy();
  if (graph.runtime === 'v8') return Uint8Array.from(row, (at) => (at === NOBODY ? 0 : 1));
  const same = new Uint8Array(nodes.count);
  const [nearest, other] = before.anchors;
  const holds = strongEdgeTypes(graph);
  const queue: number[] = [];
  const keep = (node: number) => {
    same[node] = 1;
    queue.push(node);
  };
  for (let node = 0; node < nodes.count; node++) {
    const at = row[node]!;
    const isRoot = at !== NOBODY && nearest[at] === NOBODY && other[at] === NOBODY;
    if (isRoot && owner[node]! >= nodes.count) keep(node);
  }
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    const host = row[part[node] === OBJECT ? node : owner[node]!]!;
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const to = edges.to[edge]!;
      if (same[to] === 1 || holds[edges.type[edge]!] === 0) continue;
      // A store is as new as its owner.
      if (part[to] !== OBJECT) {
        if (owner[to] === node) keep(to);
        continue;
      }
      const at = row[to]!;
      if (at !== NOBODY && (nearest[at] === host || other[at] === host)) keep(to);
    }
  }
  return same;
}

/** What the later heap has no more, told by the nearest object above it that is still there. */
function addGone(before: Roll, seen: Uint32Array, nobody: number, groups: Groups): void {
  const { count, owners, vias, sizes, engine } = before;
  const topOf = new Uint32Array(count).fill(NOBODY);
  const path: number[] = [];
  for (let row = 0; row < count; row++) {
    if (seen[row] !== 0) continue;
    path.length = 0;
    let at = row;
    while (topOf[at] === NOBODY) {
      path.push(at);
      const above = owners[at]!;
      if (above === NOBODY || seen[above] !== 0) topOf[at] = at;
      else at = above;
    }
    for (const one of path) topOf[one] = topOf[at]!;
    const top = topOf[row]!;
    const above = owners[top]!;
    const group = groups.of(above === NOBODY ? nobody : seen[above]! - 1, vias[top]!);
    if (top === row) group.gone++;
    group.goneBytes += sizes[row]! + engine[row]!;
  }
}
