import type { Dominators } from './dominators.ts';
import { byText, type EdgeNaming, edgeNaming } from './edge-naming.ts';
import type { HeapGraph } from './graph.ts';
import { strongEdgeTypes } from './strong-references.ts';

/** A node is an object, a store of one (its dict, the table of a Map), or what the engine made for itself. */
export const [OBJECT, STORE, ENGINE] = [0, 1, 2] as const;

/**
 * A heap as its program sees it: stores are no objects of their own but parts of their owner, as they are made
 * anew whenever it grows; and each object hangs on the one that alone keeps it alive.
 */
export interface Anatomy {
  /** By node: OBJECT, STORE or ENGINE. */
  readonly part: Uint8Array;
  /** By node: the object above it in the tree of dominators; the count of nodes where there is none. */
  readonly owner: Uint32Array;
  /** By object: how its owner refers to it (edge-naming.ts), or its kind where only others do. */
  readonly via: Uint32Array;
  /** By object: how many things are in it, where it is a container. */
  readonly entries: Uint32Array;
  readonly naming: EdgeNaming;
}

export function anatomyOf(graph: HeapGraph, { dominator, order }: Dominators): Anatomy {
  const { count } = graph.nodes;
  const part = partsOf(graph, dominator);
  const owner = new Uint32Array(count);
  for (let i = 0; i < order.length; i++) {
    const node = order[i]!;
    const above = dominator[node]!;
    owner[node] = above < count && part[above] !== OBJECT ? owner[above]! : above;
  }
  const naming = edgeNaming(graph, (node) => part[node] === STORE);
  return { part, owner, naming, ...viaAndEntries(graph, part, owner, naming) };
}

/** The object that a node is a part of, or itself. */
export const hostOf = ({ part, owner }: Pick<Anatomy, 'part' | 'owner'>, node: number): number =>
  part[node] === OBJECT ? node : owner[node]!;

const ENGINE_TYPES: ReadonlySet<string> = new Set(['hidden', 'code', 'object shape']);

/** Told by what V8 says a node is, and in Python by the reference that leads from an object to its dict. */
function partsOf(graph: HeapGraph, dominator: Uint32Array): Uint8Array {
  const { nodes, edges, types, edgeTypes, runtime } = graph;
  const part = new Uint8Array(nodes.count);
  if (runtime === 'v8') {
    const sorts = types.map((type) =>
      type === 'array' ? STORE : ENGINE_TYPES.has(type) ? ENGINE : OBJECT,
    );
    for (let node = 0; node < nodes.count; node++) part[node] = sorts[nodes.type[node]!]!;
    return part;
  }
  const [attribute, dict] = [edgeTypes.indexOf('attribute'), types.indexOf('dict')];
  const isDict = byText(graph, (text) => text === '__dict__');
  for (let node = 0; node < nodes.count; node++) {
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const to = edges.to[edge]!;
      if (edges.type[edge] !== attribute || nodes.type[to] !== dict) continue;
      if (dominator[to] === node && isDict(edges.name[edge]!)) part[to] = STORE;
    }
  }
  return part;
}

function viaAndEntries(
  graph: HeapGraph,
  part: Uint8Array,
  owner: Uint32Array,
  naming: EdgeNaming,
): Pick<Anatomy, 'via' | 'entries'> {
  const { nodes, edges } = graph;
  const holds = strongEdgeTypes(graph);
  const entries = new Uint32Array(nodes.count);
  const via = new Uint32Array(nodes.count);
  // 0: not yet, 1: by a part of its owner, 2: by its owner itself.
  const known = new Uint8Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    const host = hostOf({ part, owner }, node);
    if (host >= nodes.count) continue;
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      if (holds[edges.type[edge]!] === 0) continue;
      if (naming.isEntry(node, edge)) entries[host]!++;
      const to = edges.to[edge]!;
      // An object's own reference has the name that a store's has not.
      const sure = part[node] === OBJECT ? 2 : 1;
      if (owner[to] !== host || part[to] !== OBJECT || known[to]! >= sure) continue;
      via[to] = naming.key(node, edge);
      known[to] = sure;
    }
  }
  for (let node = 0; node < nodes.count; node++)
    if (known[node] === 0) via[node] = naming.kindKey(nodes.kind[node]!);
  return { via, entries };
}
