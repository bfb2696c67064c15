import { lastUpTo } from '../../base/search.ts';
import { UNREACHED } from '../../model/heap/distances.ts';
import { edgeText } from '../../model/heap/edge-text.ts';
import type { NodeSet } from '../../model/heap/node-set.ts';
import { strongEdgeTypes } from '../../model/heap/strong-references.ts';
import type { Heap } from './heap.ts';
import { placeText } from './places/place.ts';
import { v8Places } from './places/v8.ts';
import { HEAP_SCHEMA, PAGE_ROWS } from './table.ts';

/** Of a longer path only both ends are listed. */
const MOST_STEPS = 60;

export interface PathStep {
  /** The reference as text: `.cache`, `[3]`. */
  readonly via: string;
  /** What it leads to. */
  readonly kind: string;
  readonly id: number;
  /** Steps left out before this one. */
  readonly skipped: number;
}

export interface HeapPath {
  readonly text: string;
  readonly root: string;
  readonly steps: readonly PathStep[];
}

/** Shortest ways from the roots to the members of a set that are nearest to them. */
export interface HeapPaths {
  readonly type: 'heap-paths';
  readonly schemaVersion: number;
  /** References on each way; null: no root leads to any member. */
  readonly distance: number | null;
  /** All ways of that length. */
  readonly count: number;
  readonly from: number;
  readonly paths: readonly HeapPath[];
}

export interface PathOptions {
  readonly from?: number;
  readonly limit?: number;
}

export function pathsTo(heap: Heap, set: NodeSet, options: PathOptions = {}): HeapPaths {
  const { from = 0, limit = PAGE_ROWS } = options;
  const { level, second } = heap.distances();
  let nearest = UNREACHED;
  for (let i = 0; i < set.length; i++) nearest = Math.min(nearest, level[set[i]!]!);
  const shared = { type: 'heap-paths', schemaVersion: HEAP_SCHEMA, from } as const;
  if (nearest === UNREACHED) return { ...shared, distance: null, count: 0, paths: [] };
  const targets = set.filter((node) => level[node] === nearest);
  const ways = waysDown(heap, targets, nearest);
  const roots = heap.graph.roots.filter((root, i, all) => all.indexOf(root) === i);
  const count = roots.reduce((sum, root) => sum + (ways.get(root) ?? 0), 0);
  const paths: HeapPath[] = [];
  for (let index = from; index < Math.min(count, from + limit); index++) {
    paths.push(pathAt(heap, ways, roots, nearest, index));
  }
  // From a root the second levels are one step away.
  const distance = nearest >= second ? nearest - second + 1 : nearest;
  return { ...shared, distance, count, paths };
}

/** By node on some way: how many shortest ways lead on from it to the targets. */
function waysDown(heap: Heap, targets: NodeSet, nearest: number): Map<number, number> {
  const { level, second } = heap.distances();
  const { first, from } = heap.referrers();
  const ways = new Map<number, number>();
  let nodes: number[] = [...targets];
  for (const node of nodes) ways.set(node, 1);
  for (let at = nearest; at > 0; ) {
    const above = at === second ? 0 : at - 1;
    const next: number[] = [];
    for (const node of nodes) {
      const own = ways.get(node)!;
      for (let row = first[node]!; row < first[node + 1]!; row++) {
        const owner = from[row]!;
        if (level[owner] !== above) continue;
        const known = ways.get(owner);
        if (known === undefined) next.push(owner);
        ways.set(owner, (known ?? 0) + own);
      }
    }
    nodes = next;
    at = above;
  }
  return ways;
}

/** One way by its number, in the order of the references: whole bundles before it are stepped over. */
function pathAt(
  heap: Heap,
  ways: ReadonlyMap<number, number>,
  roots: Uint32Array,
  nearest: number,
  index: number,
): HeapPath {
  const { graph } = heap;
  const { nodes, edges } = graph;
  const { level, second } = heap.distances();
  const holds = strongEdgeTypes(graph);
  let left = index;
  let node = roots[0]!;
  for (const root of roots) {
    const own = ways.get(root) ?? 0;
    node = root;
    if (left < own) break;
    left -= own;
  }
  const root = node;
  const taken: number[] = [];
  for (let at = 0; at < nearest; ) {
    const below = at === 0 && nearest >= second ? second : at + 1;
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const target = edges.to[edge]!;
      if (holds[edges.type[edge]!] === 0 || level[target] !== below) continue;
      const own = ways.get(target) ?? 0;
      if (left < own) {
        taken.push(edge);
        node = target;
        break;
      }
      left -= own;
    }
    at = below;
  }
  return described(heap, root, taken);
}

function described(heap: Heap, root: number, taken: readonly number[]): HeapPath {
  const { graph } = heap;
  const { nodes, edges, strings } = graph;
  const cut = taken.length > MOST_STEPS ? taken.length - MOST_STEPS : 0;
  const half = MOST_STEPS / 2;
  const kept = cut === 0 ? taken : [...taken.slice(0, half), ...taken.slice(-half)];
  const steps = kept.map((edge, i): PathStep => {
    const node = edges.to[edge]!;
    return {
      via: edgeText(graph, lastUpTo(nodes.firstEdge, edge, nodes.count), edge),
      kind: strings.text(nodes.kind[node]!),
      id: nodes.id[node]!,
      skipped: cut > 0 && i === half ? cut : 0,
    };
  });
  const start = rootText(graph, root);
  const own = programText(heap, taken);
  if (own !== null) return { text: own, root: start, steps };
  const text = steps.map(
    (step) => `${step.skipped > 0 ? ` … ${step.skipped} more … ` : ''}${step.via}`,
  );
  return { text: `${start}${text.join('')}`, root: start, steps };
}

/** From a variable of the program's own on, where the way leads through one: all before it is V8's. */
function programText(heap: Heap, taken: readonly number[]): string | null {
  const { graph } = heap;
  if (graph.runtime !== 'v8') return null;
  const { nodes, edges } = graph;
  const steps = taken.map((edge) => {
    const owner = lastUpTo(nodes.firstEdge, edge, nodes.count);
    return { owner, edge, to: edges.to[edge]! };
  });
  const places = v8Places(heap);
  if (!places.hasVariable(steps)) return null;
  return placeText(places.inWords(steps, ({ owner, edge }) => edgeText(graph, owner, edge)));
}

/** Heapy's name of the place where all begins, with the root's own where there are several. */
function rootText({ nodes, roots, strings }: Heap['graph'], root: number): string {
  if (roots.length === 1) return 'h.Root';
  const name = nodes.name[root] === 0 ? nodes.kind[root]! : nodes.name[root]!;
  return `h.Root.${strings.text(name)}`;
}
