import type { HeapGraph } from './graph.ts';

/** References that are named by a number, not by a text. */
const NUMBERED: ReadonlySet<string> = new Set(['element', 'hidden', 'item']);
const LONGEST = 40;

/** One step of a path as a person would write it: `.cache`, `['a b']`, `[3]`. */
export function edgeText(graph: HeapGraph, owner: number, edge: number): string {
  const { nodes, edges, edgeTypes, strings, types } = graph;
  const target = edges.to[edge]!;
  const made = (node: number) => types[nodes.type[node]!] === 'synthetic';
  // V8 numbers what hangs on its roots: the name of what it leads to says more.
  if (made(target) || (graph.runtime === 'v8' && made(owner) && owner === graph.roots[0])) {
    return `.${shortText(strings.text(nodes.name[target]!).replace(/ \/ .*$/, ''))}`;
  }
  const type = edgeTypes[edges.type[edge]!] ?? '';
  const name = edges.name[edge]!;
  if (NUMBERED.has(type)) return `[${name}]`;
  const text = shortText(strings.text(name));
  switch (type) {
    // A variable that a function closes over.
    case 'context':
      return `.(${text})`;
    // What the engine keeps beside the program's own properties.
    case 'internal':
    case 'weak':
      return `.<${text}>`;
    // What stands between brackets is written as it is: it may be any object.
    case 'entry':
      return `[${text}]`;
    case 'key':
      return `.keys()[${text}]`;
    default:
      return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(text) ? `.${text}` : `['${text}']`;
  }
}

/** Shortened in the middle, as both ends of a long key tell something. */
export function shortText(text: string, most = LONGEST): string {
  const flat = text.replace(/[\x00-\x1f\x7f-\x9f]/g, '·');
  if (flat.length <= most) return flat;
  const half = Math.floor((most - 3) / 2);
  return `${flat.slice(0, half)}...${flat.slice(-half)}`;
}
