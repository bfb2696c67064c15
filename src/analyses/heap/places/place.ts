import type { HeapGraph } from '../../../model/heap/graph.ts';

/** One reference of a way down from the roots. */
export interface Step {
  readonly owner: number;
  readonly edge: number;
  readonly to: number;
}

/**
 * Where an object is, as its program's author would say it: `cache.rows`, and beside it whose variable that is:
 * `in main()`, `in scope of onRequest (/app/server.js:10)`.
 */
export interface Place {
  readonly path: string;
  readonly scope: string;
}

export const placeText = ({ path, scope }: Place): string =>
  scope === '' ? path : `${path} ${scope}`;

/** What one step adds to a path. */
export type StepText = (step: Step) => string;

export const nameOf = ({ edges, strings }: HeapGraph, edge: number): string =>
  strings.text(edges.name[edge]!);
