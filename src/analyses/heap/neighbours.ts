import { markedNodes, type NodeSet } from '../../model/heap/node-set.ts';
import { strongEdgeTypes } from '../../model/heap/strong-references.ts';
import type { Heap } from './heap.ts';

/** What a set refers to directly. */
export function referentsOf({ graph }: Heap, set: NodeSet): NodeSet {
  const { nodes, edges } = graph;
  const holds = strongEdgeTypes(graph);
  const marks = new Uint8Array(nodes.count);
  for (let i = 0; i < set.length; i++) {
    for (let edge = nodes.firstEdge[set[i]!]!; edge < nodes.firstEdge[set[i]! + 1]!; edge++) {
      if (holds[edges.type[edge]!] !== 0) marks[edges.to[edge]!] = 1;
    }
  }
  return markedNodes(marks);
}

/** Who refers to a set directly. */
export function referrersOfSet(heap: Heap, set: NodeSet): NodeSet {
  const { first, from } = heap.referrers();
  const marks = new Uint8Array(heap.graph.nodes.count);
  for (let i = 0; i < set.length; i++) {
    for (let row = first[set[i]!]!; row < first[set[i]! + 1]!; row++) marks[from[row]!] = 1;
  }
  return markedNodes(marks);
}
