import { UserError } from '../../base/errors.ts';
import { type Anatomy, anatomyOf } from '../../model/heap/anatomy.ts';
import { type Distances, distancesOf } from '../../model/heap/distances.ts';
import { type Dominators, dominatorsOf } from '../../model/heap/dominators.ts';
import type { HeapGraph } from '../../model/heap/graph.ts';
import { allObjects, type NodeSet } from '../../model/heap/node-set.ts';
import { type Referrers, referrersOf } from '../../model/heap/strong-references.ts';

/** A heap with what is computed from its graph, once, when it is first asked for. */
export interface Heap {
  readonly graph: HeapGraph;
  /** Every object. */
  readonly objects: NodeSet;
  readonly light: boolean;
  referrers(): Referrers;
  /** The dominator tree and retained sizes. Throws for a heap opened light, which has none. */
  dominators(): Dominators;
  distances(): Distances;
  /** Objects with their stores, and who alone holds each. Not of a heap opened light. */
  anatomy(): Anatomy;
}

export interface HeapOptions {
  /** Without retained sizes, in about half the memory. */
  readonly light?: boolean;
}

export function heapOf(graph: HeapGraph, { light = false }: HeapOptions = {}): Heap {
  const dominators = once(() => {
    if (!light) return dominatorsOf(graph);
    throw new UserError('this heap was opened light, so retained sizes are not known', {
      hint: 'open it again without --light',
    });
  });
  return {
    graph,
    light,
    objects: allObjects(graph),
    referrers: once(() => referrersOf(graph)),
    distances: once(() => distancesOf(graph)),
    dominators,
    anatomy: once(() => anatomyOf(graph, dominators())),
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
