import type { HeapGraph } from './graph.ts';
import { strongEdgeTypes } from './strong-references.ts';

/**
 * All nodes in the order of a walk in depth from one root above all roots, which has number 0; the
 * first node met has number 1.
 */
export interface Preorder {
  /** Node by number; number 0 is no node. */
  readonly node: Uint32Array;
  /** Number of the parent, by number. */
  readonly parent: Uint32Array;
  /** By number: the lowest that holds it: its parent, or one further up; 0 for roots and heads of orphans. */
  readonly lowest: Uint32Array;
  /** The other references, which lead to a lower number. */
  readonly back: BackReferences;
  /** Nodes that no root reaches; they hang on the root above all as well. */
  readonly orphans: number;
}

/**
 * By number, those of higher numbers that hold it, as lists: `head` is a list's first row, `next` the row
 * after another, `from` whose reference it is; 0 ends a list.
 */
export interface BackReferences {
  readonly head: Uint32Array;
  readonly next: Uint32Array;
  readonly from: Uint32Array;
}

export function preorderOf(graph: HeapGraph): Preorder {
  const walk = new Walk(graph);
  for (const root of graph.roots) walk.from(root);
  const reached = walk.count;
  const { count } = graph.nodes;
  if (reached < count) {
    // First those without referrers, then what is left of cycles that only they refer to.
    const held = heldNodes(graph);
    for (let node = 0; node < count; node++)
      if (held[node] === 0 && walk.isNew(node)) walk.from(node);
    for (let node = 0; node < count; node++) if (walk.isNew(node)) walk.from(node);
  }
  const { node, parent, lowest, back } = walk;
  return { node, parent, lowest, back, orphans: count - reached };
}

class Walk {
  count = 0;
  readonly node: Uint32Array;
  readonly parent: Uint32Array;
  readonly lowest: Uint32Array;
  readonly back: BackReferences;
  /** Number by node. */
  readonly #number: Uint32Array;
  readonly #graph: HeapGraph;
  readonly #holds: Uint8Array;
  /** Next reference to follow, by number; the way back is in `parent`, so that no stack is needed. */
  readonly #next: Uint32Array;
  #backs = 0;

  constructor(graph: HeapGraph) {
    this.#graph = graph;
    this.#holds = strongEdgeTypes(graph);
    const { count } = graph.nodes;
    this.node = new Uint32Array(count + 1);
    this.parent = new Uint32Array(count + 1);
    this.lowest = new Uint32Array(count + 1);
    this.#number = new Uint32Array(count);
    this.#next = new Uint32Array(count + 1);
    // Room for all references, of which the system gives out only what is written to.
    const references = graph.edges.count + 1;
    this.back = {
      head: new Uint32Array(count + 1),
      next: new Uint32Array(references),
      from: new Uint32Array(references),
    };
  }

  isNew(node: number): boolean {
    return this.#number[node] === 0;
  }

  /** Each reference is looked at once, and sorted by where it leads: down to a new node, down again, or back. */
  from(root: number): void {
    // A root needs no referrer, also where another one has led to it.
    if (!this.isNew(root)) {
      this.lowest[this.#number[root]!] = 0;
      return;
    }
    const { node, parent, lowest } = this;
    const number = this.#number;
    const { firstEdge } = this.#graph.nodes;
    const { to, type } = this.#graph.edges;
    const { head, next: nextBack, from } = this.back;
    const holds = this.#holds;
    const next = this.#next;
    let backs = this.#backs;
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
        if (holds[type[edge]!] === 0) continue;
        const target = to[edge]!;
        const known = number[target]!;
        if (known === 0) {
          found = target;
          break;
        }
        if (known > at) {
          if (lowest[known]! > at) lowest[known] = at;
        } else if (known < at) {
          from[++backs] = at;
          nextBack[backs] = head[known]!;
          head[known] = backs;
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
      lowest[newest] = at;
      next[newest] = firstEdge[found]!;
      at = newest;
    }
    this.count = newest;
    this.#backs = backs;
  }
}

/** 1 for each node that another one holds. */
function heldNodes(graph: HeapGraph): Uint8Array {
  const { nodes, edges } = graph;
  const holds = strongEdgeTypes(graph);
  const held = new Uint8Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const target = edges.to[edge]!;
      if (target !== node && holds[edges.type[edge]!] !== 0) held[target] = 1;
    }
  }
  return held;
}
