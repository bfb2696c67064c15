import type { HeapGraph } from '../../src/model/heap/graph.ts';
import { strongEdgeTypes } from '../../src/model/heap/strong-references.ts';

/**
 * Retained sizes the plain way: take a node out and see what no root reaches any more. Quadratic, and
 * with nothing in common with the way under test. Orphans hang on the root above all, those without a
 * holder first, then what rings leave, by number.
 */
export function retainedByRemoval(graph: HeapGraph): number[] {
  const heads = headsOf(graph);
  const all = reach(graph, heads, -1);
  return Array.from({ length: graph.nodes.count }, (_, node) => {
    const left = reach(graph, heads, node);
    let bytes = 0;
    for (let at = 0; at < left.length; at++)
      if (all[at] && !left[at]) bytes += graph.nodes.size[at]!;
    return bytes;
  });
}

/** Cooper, Harvey and Kennedy's way to dominators: passes until nothing changes. */
export function dominatorsByPasses(graph: HeapGraph): Uint32Array {
  const { count, firstEdge } = graph.nodes;
  const holds = strongEdgeTypes(graph);
  const heads = headsOf(graph);
  const order: number[] = [];
  const number = new Int32Array(count + 1).fill(-1);
  const preds: number[][] = Array.from({ length: count }, () => []);
  for (const head of heads) preds[head]!.push(count);
  for (let node = 0; node < count; node++) {
    for (let edge = firstEdge[node]!; edge < firstEdge[node + 1]!; edge++) {
      if (holds[graph.edges.type[edge]!]) preds[graph.edges.to[edge]!]!.push(node);
    }
  }
  const seen = new Uint8Array(count);
  for (const head of heads) postorder(graph, head, seen, order);
  order.forEach((node, at) => {
    number[node] = at;
  });
  number[count] = order.length;
  const dominator = new Int32Array(count + 1).fill(-1);
  dominator[count] = count;
  for (let changed = true; changed; ) {
    changed = false;
    for (let at = order.length - 1; at >= 0; at--) {
      const node = order[at]!;
      let best = -1;
      for (const before of preds[node]!) {
        if (dominator[before] === -1) continue;
        best = best === -1 ? before : meet(before, best, dominator, number);
      }
      if (dominator[node] !== best) {
        dominator[node] = best;
        changed = true;
      }
    }
  }
  return Uint32Array.from(dominator.subarray(0, count));
}

function meet(a: number, b: number, dominator: Int32Array, number: Int32Array): number {
  let [one, two] = [a, b];
  while (one !== two) {
    while (number[one]! < number[two]!) one = dominator[one]!;
    while (number[two]! < number[one]!) two = dominator[two]!;
  }
  return one;
}

function postorder(graph: HeapGraph, head: number, seen: Uint8Array, order: number[]): void {
  const { firstEdge } = graph.nodes;
  const holds = strongEdgeTypes(graph);
  if (seen[head]) return;
  seen[head] = 1;
  const stack = [{ node: head, edge: firstEdge[head]! }];
  while (stack.length > 0) {
    const top = stack.at(-1)!;
    if (top.edge === firstEdge[top.node + 1]!) {
      order.push(top.node);
      stack.pop();
      continue;
    }
    const edge = top.edge++;
    const target = graph.edges.to[edge]!;
    if (!holds[graph.edges.type[edge]!] || seen[target]) continue;
    seen[target] = 1;
    stack.push({ node: target, edge: firstEdge[target]! });
  }
}

function headsOf(graph: HeapGraph): number[] {
  const heads = [...graph.roots];
  const { count, firstEdge } = graph.nodes;
  const holds = strongEdgeTypes(graph);
  const held = new Set<number>();
  for (let node = 0; node < count; node++) {
    for (let edge = firstEdge[node]!; edge < firstEdge[node + 1]!; edge++) {
      const target = graph.edges.to[edge]!;
      if (holds[graph.edges.type[edge]!] && target !== node) held.add(target);
    }
  }
  const nodes = Array.from({ length: count }, (_, node) => node);
  let reached = reach(graph, heads, -1);
  for (const node of [...nodes.filter((one) => !held.has(one)), ...nodes]) {
    if (reached[node]) continue;
    heads.push(node);
    reached = reach(graph, heads, -1);
  }
  return heads;
}

function reach(graph: HeapGraph, heads: readonly number[], without: number): boolean[] {
  const holds = strongEdgeTypes(graph);
  const seen: boolean[] = new Array(graph.nodes.count).fill(false);
  const queue = heads.filter((head) => head !== without);
  for (const head of queue) seen[head] = true;
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (let edge = graph.nodes.firstEdge[node]!; edge < graph.nodes.firstEdge[node + 1]!; edge++) {
      const target = graph.edges.to[edge]!;
      if (seen[target] || target === without || !holds[graph.edges.type[edge]!]) continue;
      seen[target] = true;
      queue.push(target);
    }
  }
  return seen;
}
