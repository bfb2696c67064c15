import { shortText } from '../../model/heap/edge-text.ts';
import type { HeapGraph } from '../../model/heap/graph.ts';
import type { NodeSet } from '../../model/heap/node-set.ts';

const TEXTS: ReadonlySet<string> = new Set([
  'string',
  'concatenated string',
  'sliced string',
  'str',
  'bytes',
]);

/** Whether objects of a type are texts, whose names are what they say. */
export const isText = (type: string) => TEXTS.has(type);

/** One object in a few words: what it is, its name where it has one, and its id. */
export function briefOf(graph: HeapGraph, node: number): string {
  const { nodes, strings, types, runtime } = graph;
  const kind = strings.text(nodes.kind[node]!);
  const name = nodes.name[node] === 0 ? '' : strings.text(nodes.name[node]!);
  const id = runtime === 'python' ? `0x${nodes.id[node]!.toString(16)}` : `@${nodes.id[node]}`;
  if (isText(types[nodes.type[node]!] ?? '') && name !== '') {
    const text = shortText(name);
    return `${kind}: ${/^['"b]/.test(text) ? text : `'${text}'`}`;
  }
  return name === '' || name === kind ? `${kind}: ${id}` : `${kind}: ${shortText(name)} ${id}`;
}

/** What all of a set are: `<Foo>`, or `<mixed>`. */
export function kindName({ nodes, strings }: HeapGraph, set: NodeSet): string {
  if (set.length === 0) return '<nothing>';
  const kind = nodes.kind[set[0]!]!;
  for (let i = 1; i < set.length; i++) if (nodes.kind[set[i]!] !== kind) return '<mixed>';
  return `<${strings.text(kind)}>`;
}
