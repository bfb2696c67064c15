import { firstFrom } from '../../../base/search.ts';
import { byText } from '../../../model/heap/edge-naming.ts';
import type { HeapGraph } from '../../../model/heap/graph.ts';

/** Names of V8's internal references that lead from an object to its script. */
export type Link =
  | 'map'
  | 'constructor'
  | 'back_pointer'
  | 'shared'
  | 'script_or_debug_info'
  | 'script'
  | 'context';

/** Functions of a V8 heap, and where they were written. */
export interface Functions {
  /** The target of an object's first internal reference of one of these names; -1. */
  follow(node: number, ...links: readonly Link[]): number;
  isFunction(node: number): boolean;
  name(fn: number): string;
  /** The file a function was written in; null: V8's own have none. */
  script(fn: number): string | null;
  /** From 1; infinity where V8 does not tell. */
  line(fn: number): number;
  /** `onRequest (/app/server.js:10)`, as far as it is known. */
  described(fn: number): string;
}

export function functionsOf(graph: HeapGraph): Functions {
  const { nodes, edges, edgeTypes, strings, types, lines } = graph;
  const [closure, internal] = [types.indexOf('closure'), edgeTypes.indexOf('internal')];
  const text = byText(graph, String);
  const follow: Functions['follow'] = (node, ...links) => {
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      if (edges.type[edge] !== internal) continue;
      if ((links as readonly string[]).includes(text(edges.name[edge]!))) return edges.to[edge]!;
    }
    return -1;
  };
  const scripts = new Map<number, string | null>();
  const script = (fn: number): string | null => {
    const shared = follow(fn, 'shared');
    if (shared < 0) return null;
    let found = scripts.get(shared);
    if (found === undefined) {
      const at = follow(shared, 'script', 'script_or_debug_info');
      found = at < 0 ? null : scriptPath(strings.text(nodes.name[at]!));
      scripts.set(shared, found);
    }
    return found;
  };
  const line = (fn: number): number => {
    const at = lines ? firstFrom(lines.node, fn) : 0;
    return lines?.node[at] === fn ? lines.line[at]! : Number.POSITIVE_INFINITY;
  };
  const name = (fn: number) => strings.text(nodes.name[fn]!) || '(anonymous)';
  return {
    follow,
    name,
    script,
    line,
    isFunction: (node) => nodes.type[node] === closure,
    described(fn) {
      const [file, at] = [script(fn), line(fn)];
      if (file === null) return name(fn);
      return `${name(fn)} (${file}${Number.isFinite(at) ? `:${at}` : ''})`;
    },
  };
}

function scriptPath(name: string): string | null {
  const path = name.replace(/^system \/ Script(\s*\/\s*)?/, '').replace(/^file:\/\//, '');
  return path === '' ? null : path;
}
