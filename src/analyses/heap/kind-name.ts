import type { HeapGraph } from '../../model/heap/graph.ts';
import type { NodeSet } from '../../model/heap/node-set.ts';

/** What all of a set are: `<Foo>`, or `<mixed>`. */
export function kindName({ nodes, strings }: HeapGraph, set: NodeSet): string {
  if (set.length === 0) return '<nothing>';
  const kind = nodes.kind[set[0]!]!;
  for (let i = 1; i < set.length; i++) if (nodes.kind[set[i]!] !== kind) return '<mixed>';
  return `<${strings.text(kind)}>`;
}
