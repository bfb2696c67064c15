import type { NodeSet } from '../../model/heap/node-set.ts';
import type { Heap } from './heap.ts';
import { briefOf } from './object-labels.ts';
import { pathsTo } from './paths.ts';
import { HEAP_SCHEMA, PAGE_ROWS } from './table.ts';

/** Single objects that keep most alive. */
export interface HeapHolders {
  readonly type: 'heap-holders';
  readonly schemaVersion: number;
  readonly heapSize: number;
  readonly from: number;
  readonly numRows: number;
  readonly rows: readonly HolderRow[];
}

export interface HolderRow {
  readonly index: number;
  readonly brief: string;
  readonly kind: string;
  readonly id: number;
  readonly size: number;
  readonly retained: number;
  /** A shortest way to it; null: no root leads there. */
  readonly path: string | null;
}

export function holdersOf(
  heap: Heap,
  set: NodeSet,
  options: { from?: number; limit?: number } = {},
): HeapHolders {
  const { from = 0, limit = PAGE_ROWS } = options;
  const { retained } = heap.dominators();
  const { nodes, strings } = heap.graph;
  const order = set.slice().sort((a, b) => retained[b]! - retained[a]! || a - b);
  const rows = [...order.subarray(from, from + limit)].map((node, i) => ({
    index: from + i,
    brief: briefOf(heap.graph, node),
    kind: strings.text(nodes.kind[node]!),
    id: nodes.id[node]!,
    size: nodes.size[node]!,
    retained: retained[node]!,
    path: pathsTo(heap, Uint32Array.of(node), { limit: 1 }).paths[0]?.text ?? null,
  }));
  const heapSize = heap.objects.reduce((sum, node) => sum + nodes.size[node]!, 0);
  return {
    type: 'heap-holders',
    schemaVersion: HEAP_SCHEMA,
    heapSize,
    from,
    numRows: set.length,
    rows,
  };
}
