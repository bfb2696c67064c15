import type { HeapGraph } from './graph.ts';
import { holdingTypes } from './holding.ts';

/**
 * All nodes in the order of a walk in depth from one root above all roots, which has number 0; the
 * first node met has number 1.
 */
export interface Preorder {
  /** Node by number; number 0 is no node. */
  readonly node: Uint32Array;
  /** Number by node. */
  readonly number: Uint32Array;
  /** Number of the parent, by number. */
  readonly parent: Uint32Array;
  /** Nodes right below the root above all: the graph's roots and the heads of what nobody holds. */
  readonly heads: Uint32Array;
  /** Nodes that no root reaches; they hang on the root above all as well. */
  readonly orphans: number;
}

export function preorderOf(graph: HeapGraph): Preorder {
  const walk = new Walk(graph);
  for (const root of graph.roots) walk.from(root);
  const reached = walk.count;
  const heads = [...graph.roots];
  const begin = (node: number) => {
    heads.push(node);
    walk.from(node);
  };
  const { count } = graph.nodes;
  if (reached < count) {
    // First those that nobody holds, then what is left of rings that hold only themselves.
    const held = heldNodes(graph);
    for (let node = 0; node < count; node++) if (held[node] === 0 && walk.isNew(node)) begin(node);
    for (let node = 0; node < count; node++) if (walk.isNew(node)) begin(node);
  }
  const { node, number, parent } = walk;
  return { node, number, parent, heads: Uint32Array.from(heads), orphans: count - reached };
}

class Walk {
  count = 0;
  readonly node: Uint32Array;
  readonly number: Uint32Array;
  readonly parent: Uint32Array;
  readonly #graph: HeapGraph;
  readonly #holds: Uint8Array;
  /** Next reference to follow, by number; the way back is in `parent`, so that no stack is needed. */
  readonly #next: Uint32Array;

  constructor(graph: HeapGraph) {
    this.#graph = graph;
    this.#holds = holdingTypes(graph);
    const { count } = graph.nodes;
    this.node = new Uint32Array(count + 1);
    this.number = new Uint32Array(count);
    this.parent = new Uint32Array(count + 1);
    this.#next = new Uint32Array(count + 1);
  }

  isNew(node: number): boolean {
    return this.number[node] === 0;
  }

  from(root: number): void {
    if (!this.isNew(root)) return;
    const { node, number, parent } = this;
    const { firstEdge } = this.#graph.nodes;
    const { to, type } = this.#graph.edges;
    const holds = this.#holds;
    const next = this.#next;
    let at = ++this.count;
    node[at] = root;
    number[root] = at;
    next[at] = firstEdge[root]!;
    let newest = at;
    while (at !== 0) {
      const end = firstEdge[node[at]! + 1]!;
      let edge = next[at]!;
      let found = -1;
      for (; edge < end; edge++) {
        const target = to[edge]!;
        if (number[target] === 0 && holds[type[edge]!] !== 0) {
          found = target;
          break;
        }
      }
      if (found < 0) {
        at = parent[at]!;
        continue;
      }
      next[at] = edge + 1;
      newest++;
      node[newest] = found;
      number[found] = newest;
      parent[newest] = at;
      next[newest] = firstEdge[found]!;
      at = newest;
    }
    this.count = newest;
  }
}

/** 1 for each node that another one holds. */
function heldNodes(graph: HeapGraph): Uint8Array {
  const { nodes, edges } = graph;
  const holds = holdingTypes(graph);
  const held = new Uint8Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const target = edges.to[edge]!;
      if (target !== node && holds[edges.type[edge]!] !== 0) held[target] = 1;
    }
  }
  return held;
}
