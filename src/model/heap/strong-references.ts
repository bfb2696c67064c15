import type { HeapGraph } from './graph.ts';

/** References that keep nothing alive: weak ones, and V8's shortcuts for debuggers. */
const WEAK: ReadonlySet<string> = new Set(['weak', 'shortcut']);

/** For each type of reference, 1 where it keeps its target alive. */
export function strongEdgeTypes({ edgeTypes }: HeapGraph): Uint8Array {
  const holds = new Uint8Array(256);
  edgeTypes.forEach((name, type) => {
    holds[type] = WEAK.has(name) ? 0 : 1;
  });
  return holds;
}

/** The referrers of node n are from[first[n]] up to from[first[n + 1]], a row for each reference. */
export interface Referrers {
  readonly first: Uint32Array;
  readonly from: Uint32Array;
}

/** The references turned round; those that keep nothing alive are left out. */
export function referrersOf(graph: HeapGraph): Referrers {
  const { nodes, edges } = graph;
  const holds = strongEdgeTypes(graph);
  const { to, type } = edges;
  const { firstEdge } = nodes;
  const first = new Uint32Array(nodes.count + 1);
  let held = 0;
  for (let edge = 0; edge < edges.count; edge++) {
    if (holds[type[edge]!] === 0) continue;
    first[to[edge]! + 1]!++;
    held++;
  }
  for (let node = 0; node < nodes.count; node++) first[node + 1]! += first[node]!;
  const from = new Uint32Array(held);
  // Backwards, moving each beginning to where its rows begin, so that rows stay in order without a second list.
  const next = first.slice(1);
  for (let node = nodes.count - 1; node >= 0; node--) {
    for (let edge = firstEdge[node + 1]! - 1; edge >= firstEdge[node]!; edge--) {
      if (holds[type[edge]!] !== 0) from[--next[to[edge]!]!] = node;
    }
  }
  return { first, from };
}
