import type { HeapGraph } from './graph.ts';
import { strongEdgeTypes } from './strong-references.ts';

export const UNREACHED = 0xffff_ffff;

/**
 * How far each node is from the roots, as levels: a way goes from level to level. What the program itself
 * can name comes first; below V8's own roots (its stack, its handles) only what is left, from level `second` on.
 */
export interface Distances {
  readonly level: Uint32Array;
  readonly second: number;
  /** By node: the reference that led there first; NO_EDGE for roots and what is not reached. */
  readonly edge: Uint32Array;
}

export const NO_EDGE = 0xffff_ffff;

export function distancesOf(graph: HeapGraph): Distances {
  const walk = new Breadth(graph);
  const later: Met[] = [];
  for (const root of graph.roots) {
    walk.add(root, 0);
    if (isMadeUp(graph, root)) later.push(...walk.split(root));
  }
  walk.run();
  const second = walk.deepest + 1;
  for (const { to, edge } of later) walk.add(to, second, edge);
  walk.run();
  return { level: walk.level, second, edge: walk.edge };
}

const isMadeUp = ({ nodes, types }: HeapGraph, node: number) =>
  types[nodes.type[node]!] === 'synthetic';

interface Met {
  readonly to: number;
  readonly edge: number;
}

class Breadth {
  readonly level: Uint32Array;
  readonly edge: Uint32Array;
  deepest = 0;
  readonly #graph: HeapGraph;
  readonly #holds: Uint8Array;
  readonly #queue: Uint32Array;
  #head = 0;
  #tail = 0;

  constructor(graph: HeapGraph) {
    this.#graph = graph;
    this.#holds = strongEdgeTypes(graph);
    this.level = new Uint32Array(graph.nodes.count).fill(UNREACHED);
    this.edge = new Uint32Array(graph.nodes.count).fill(NO_EDGE);
    this.#queue = new Uint32Array(graph.nodes.count);
  }

  add(node: number, level: number, edge = NO_EDGE): void {
    if (this.level[node] !== UNREACHED) return;
    this.level[node] = level;
    this.edge[node] = edge;
    this.#queue[this.#tail++] = node;
  }

  /** Of a root's targets those of the program are next; the others, which V8 made up, are for later. */
  split(root: number): Met[] {
    const { nodes, edges } = this.#graph;
    this.#head = this.#tail;
    const later: Met[] = [];
    for (let edge = nodes.firstEdge[root]!; edge < nodes.firstEdge[root + 1]!; edge++) {
      if (this.#holds[edges.type[edge]!] === 0) continue;
      const target = edges.to[edge]!;
      if (isMadeUp(this.#graph, target)) later.push({ to: target, edge });
      else this.add(target, 1, edge);
    }
    return later;
  }

  run(): void {
    const { level, edge: first } = this;
    const queue = this.#queue;
    const holds = this.#holds;
    const { firstEdge } = this.#graph.nodes;
    const { to, type } = this.#graph.edges;
    let tail = this.#tail;
    for (let head = this.#head; head < tail; head++) {
      const node = queue[head]!;
      const next = level[node]! + 1;
      for (let edge = firstEdge[node]!; edge < firstEdge[node + 1]!; edge++) {
        const target = to[edge]!;
        if (level[target] !== UNREACHED || holds[type[edge]!] === 0) continue;
        level[target] = next;
        first[target] = edge;
        queue[tail++] = target;
      }
    }
    this.#head = tail;
    this.#tail = tail;
    if (tail > 0) this.deepest = level[queue[tail - 1]!]!;
  }
}
