import type { HeapGraph } from './graph.ts';
import { holdingTypes } from './holding.ts';
import { type Preorder, preorderOf } from './preorder.ts';

/** Who alone keeps whom alive. */
export interface Dominators {
  /** By node: the nearest node that all ways from the roots go through; the count of nodes where there is none. */
  readonly dominator: Uint32Array;
  /** By node: bytes that would go with it, its own included. */
  readonly retained: Float64Array;
  /** Nodes, each after its dominator. */
  readonly order: Uint32Array;
  /** Nodes that no root reaches. */
  readonly orphans: number;
}

/**
 * Lengauer and Tarjan's algorithm with path compression: near linear, whatever the graph. It works on
 * numbers of the walk in depth instead of nodes, so that what is close in the tree is close in memory.
 */
export function dominatorsOf(graph: HeapGraph): Dominators {
  const walk = preorderOf(graph);
  const immediate = immediateDominators(graph, walk);
  const { count, size } = graph.nodes;
  const sums = new Float64Array(count + 1);
  const { node } = walk;
  for (let at = count; at >= 1; at--) {
    sums[at]! += size[node[at]!]!;
    sums[immediate[at]!]! += sums[at]!;
  }
  const dominator = new Uint32Array(count);
  const retained = new Float64Array(count);
  for (let at = 1; at <= count; at++) {
    const above = immediate[at]!;
    dominator[node[at]!] = above === 0 ? count : node[above]!;
    retained[node[at]!] = sums[at]!;
  }
  return { dominator, retained, order: node.subarray(1), orphans: walk.orphans };
}

/** By number, the number of the immediate dominator; 0 is the root above all. */
function immediateDominators(graph: HeapGraph, walk: Preorder): Uint32Array {
  const { count } = graph.nodes;
  const { parent } = walk;
  const { first, from } = numberedReferrers(graph, walk);
  const semi = new Uint32Array(count + 1);
  const label = new Uint32Array(count + 1);
  for (let at = 0; at <= count; at++) {
    semi[at] = at;
    label[at] = at;
  }
  for (const head of walk.heads) semi[walk.number[head]!] = 0;
  const forest = new Forest(parent.slice(), semi, label);
  const immediate = new Uint32Array(count + 1);
  // What waits for a number to be done, as lists in two columns; 0 ends a list.
  const bucket = new Uint32Array(count + 1);
  const nextInBucket = new Uint32Array(count + 1);
  for (let at = count; at >= 1; at--) {
    let best = semi[at]!;
    for (let row = first[at]!; row < first[at + 1]!; row++) {
      const before = from[row]!;
      // One that is not done yet stands for itself.
      const reach = before <= at ? before : semi[forest.best(before, at)]!;
      if (reach < best) best = reach;
    }
    semi[at] = best;
    nextInBucket[at] = bucket[best]!;
    bucket[best] = at;
    const above = parent[at]!;
    for (let waiting = bucket[above]!; waiting !== 0; waiting = nextInBucket[waiting]!) {
      const lowest = forest.best(waiting, at - 1);
      immediate[waiting] = semi[lowest]! < semi[waiting]! ? lowest : above;
    }
    bucket[above] = 0;
  }
  for (let at = 1; at <= count; at++) {
    if (immediate[at] !== semi[at]) immediate[at] = immediate[immediate[at]!]!;
  }
  return immediate;
}

/** The part of the tree whose numbers are done, with its paths shortened as they are walked. */
class Forest {
  readonly #ancestor: Uint32Array;
  readonly #semi: Uint32Array;
  readonly #label: Uint32Array;
  #path = new Uint32Array(1 << 10);

  constructor(ancestor: Uint32Array, semi: Uint32Array, label: Uint32Array) {
    this.#ancestor = ancestor;
    this.#semi = semi;
    this.#label = label;
  }

  /** The number with the lowest semidominator on the way from `at` up to, not including, `limit` or below. */
  best(at: number, limit: number): number {
    const ancestor = this.#ancestor;
    const label = this.#label;
    if (ancestor[at]! <= limit) return label[at]!;
    const semi = this.#semi;
    let path = this.#path;
    let depth = 0;
    let up = at;
    for (; ancestor[up]! > limit; up = ancestor[up]!) {
      if (depth === path.length) {
        path = new Uint32Array(depth * 2);
        path.set(this.#path);
        this.#path = path;
      }
      path[depth++] = up;
    }
    const top = ancestor[up]!;
    let lowest = label[up]!;
    while (depth > 0) {
      const step = path[--depth]!;
      if (semi[lowest]! < semi[label[step]!]!) label[step] = lowest;
      else lowest = label[step]!;
      ancestor[step] = top;
    }
    return label[at]!;
  }
}

/** The references turned round, both ends as numbers of the walk. */
function numberedReferrers(graph: HeapGraph, { node, number }: Preorder) {
  const { count, firstEdge } = graph.nodes;
  const { to, type } = graph.edges;
  const holds = holdingTypes(graph);
  const first = new Uint32Array(count + 2);
  let held = 0;
  for (let edge = 0; edge < graph.edges.count; edge++) {
    if (holds[type[edge]!] === 0) continue;
    first[number[to[edge]!]! + 1]!++;
    held++;
  }
  for (let at = 0; at <= count; at++) first[at + 1]! += first[at]!;
  const from = new Uint32Array(held);
  const fill = first.slice(0, count + 1);
  for (let at = 1; at <= count; at++) {
    const owner = node[at]!;
    for (let edge = firstEdge[owner]!; edge < firstEdge[owner + 1]!; edge++) {
      if (holds[type[edge]!] !== 0) from[fill[number[to[edge]!]!]!++] = at;
    }
  }
  return { first, from };
}
