import type { HeapEdges } from '../../model/heap/graph.ts';

/** Numbers in `edges.type`. */
export const EDGE_TYPES = ['attribute', 'element', 'entry', 'internal', 'context', 'key'] as const;
export const [ATTRIBUTE, ELEMENT, ENTRY, INTERNAL, CONTEXT, KEY] = [0, 1, 2, 3, 4, 5] as const;

/** References of all objects, by the object that has them. */
export interface NamedEdges {
  readonly edges: HeapEdges;
  readonly firstEdge: Uint32Array;
  /** References to what is not in the file: objects that came or went while it was written. */
  readonly lost: number;
}
