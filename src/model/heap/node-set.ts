import type { HeapGraph } from './graph.ts';

/** Some objects of a heap, by number, ascending, each once. */
export type NodeSet = Uint32Array;

/** Every object; nodes that V8 makes up to hang its roots on are none. */
export function allObjects({ nodes, types }: HeapGraph): NodeSet {
  const madeUp = types.indexOf('synthetic');
  const set = new Uint32Array(nodes.count);
  let length = 0;
  for (let node = 0; node < nodes.count; node++)
    if (nodes.type[node] !== madeUp) set[length++] = node;
  return set.subarray(0, length);
}

/** The marked nodes of 0 … marks.length − 1. */
export function markedNodes(marks: Uint8Array): NodeSet {
  let count = 0;
  for (let node = 0; node < marks.length; node++) count += marks[node]!;
  const set = new Uint32Array(count);
  let length = 0;
  for (let node = 0; node < marks.length; node++) if (marks[node] === 1) set[length++] = node;
  return set;
}

/** 1 for each member. */
export function marksOf(set: NodeSet, count: number): Uint8Array {
  const marks = new Uint8Array(count);
  for (let i = 0; i < set.length; i++) marks[set[i]!] = 1;
  return marks;
}
