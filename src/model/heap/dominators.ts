import type { HeapGraph } from './graph.ts';
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
  const immediate = immediateDominators(walk);
  const { count, size } = graph.nodes;
  const { node } = walk;
  const dominator = new Uint32Array(count);
  const retained = size.slice();
  for (let at = count; at >= 1; at--) {
    const [here, above] = [node[at]!, immediate[at]!];
    if (above === 0) {
      dominator[here] = count;
      continue;
    }
    dominator[here] = node[above]!;
    retained[node[above]!]! += retained[here]!;
  }
  return { dominator, retained, order: node.subarray(1), orphans: walk.orphans };
}

/**
 * By number, the number of the immediate dominator; 0 is the root above all. It works in the walk's own
 * columns, which are as long as the heap: they are of no use afterwards.
 */
function immediateDominators({ parent, lowest: semi, back }: Preorder): Uint32Array {
  const count = parent.length - 1;
  const { head, next, from } = back;
  const forest = new Forest(parent, semi);
  const immediate = new Uint32Array(count + 1);
  // What waits for a number to be done, as lists in two columns; 0 ends a list.
  const bucket = new Uint32Array(count + 1);
  const nextInBucket = new Uint32Array(count + 1);
  for (let at = count; at >= 1; at--) {
    // Who holds it from above is known; those further down may be reached past it from higher still.
    let best = semi[at]!;
    for (let row = head[at]!; row !== 0; row = next[row]!) {
      const reach = semi[forest.best(from[row]!, at)]!;
      if (reach < best) best = reach;
    }
    semi[at] = best;
    const above = parent[at]!;
    if (best === above) immediate[at] = above;
    else {
      nextInBucket[at] = bucket[best]!;
      bucket[best] = at;
    }
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
  /** The number with the lowest semidominator on the part of the path that was cut out; 0: itself. */
  readonly #label: Uint32Array;
  #path = new Uint32Array(1 << 10);

  constructor(parent: Uint32Array, semi: Uint32Array) {
    this.#ancestor = parent;
    this.#semi = semi;
    this.#label = new Uint32Array(parent.length);
  }

  /** The number with the lowest semidominator on the way from `at` up to, not including, `limit` or below. */
  best(at: number, limit: number): number {
    const ancestor = this.#ancestor;
    const label = this.#label;
    if (ancestor[at]! <= limit) return label[at]! || at;
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
    let lowest = label[up]! || up;
    while (depth > 0) {
      const step = path[--depth]!;
      const own = label[step]! || step;
      if (semi[lowest]! < semi[own]!) label[step] = lowest;
      else lowest = own;
      ancestor[step] = top;
    }
    return label[at]! || at;
  }
}
