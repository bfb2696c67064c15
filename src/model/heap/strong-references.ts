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
