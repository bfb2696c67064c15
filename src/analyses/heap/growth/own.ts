import { strongEdgeTypes } from '../../../model/heap/strong-references.ts';
import type { Heap } from '../heap.ts';

/**
 * By node, 1 for what is Highwater's own: what the dumper marked, and what nothing else leads to. Told by who holds
 * it, never by a name.
 */
export function ownNodes({ graph }: Heap): Uint8Array {
  const { nodes, edges, roots, ours = new Uint32Array(0) } = graph;
  const own = new Uint8Array(nodes.count);
  if (ours.length === 0) return own;
  const holds = strongEdgeTypes(graph);
  const reach = (met: Uint8Array, from: Iterable<number>) => {
    const queue = [...from].filter((node) => met[node] === 0);
    for (const node of queue) met[node] = 1;
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (let edge = nodes.firstEdge[at]!; edge < nodes.firstEdge[at + 1]!; edge++) {
        const to = edges.to[edge]!;
        if (holds[edges.type[edge]!] === 0 || met[to] === 1) continue;
        met[to] = 1;
        queue.push(to);
      }
    }
  };
  // Others do not reach past what is ours, and what is left of what we reach is our own.
  const others = new Uint8Array(nodes.count);
  for (const node of ours) others[node] = 1;
  reach(others, roots);
  for (const node of ours) others[node] = 0;
  reach(own, ours);
  for (let node = 0; node < nodes.count; node++) if (others[node] === 1) own[node] = 0;
  return own;
}
