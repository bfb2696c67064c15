import type { HeapGraph } from '../../src/model/heap/graph.ts';

/** A graph drawn as text: `a -> b c` a line; `a(16)` has 16 bytes, others 1; `~b` is a weak reference. */
export function graphOf(text: string, roots: readonly string[] = ['root']): HeapGraph {
  const lines = text.trim().split('\n');
  const names: string[] = [];
  const sizes: number[] = [];
  const id = (word: string) => {
    const [, name, size] = /^~?(\w+)(?:\((\d+)\))?$/.exec(word)!;
    let at = names.indexOf(name!);
    if (at < 0) at = names.push(name!) - 1;
    sizes[at] = size === undefined ? (sizes[at] ?? 1) : Number(size);
    return at;
  };
  const links = lines.map((line) => {
    const [from, to = ''] = line.split('->');
    const owner = id(from!.trim());
    const targets = to.trim().split(/\s+/).filter(Boolean);
    return {
      owner,
      targets: targets.map((word) => ({ to: id(word), weak: word.startsWith('~') })),
    };
  });
  const lists = names.map((_, node) =>
    links.filter(({ owner }) => owner === node).flatMap(({ targets }) => targets),
  );
  return fromLists(
    lists,
    sizes,
    names,
    roots.map((name) => names.indexOf(name)),
  );
}

/** Kinds are names without their digits: `item1` and `item2` are of one kind. */
export function fromLists(
  lists: readonly (readonly { to: number; weak: boolean }[])[],
  sizes: readonly number[],
  names: readonly string[],
  roots: readonly number[],
): HeapGraph {
  const strings = [''];
  const intern = (text: string) => {
    const at = strings.indexOf(text);
    return at >= 0 ? at : strings.push(text) - 1;
  };
  const count = lists.length;
  const firstEdge = new Uint32Array(count + 1);
  lists.forEach((list, node) => {
    firstEdge[node + 1] = firstEdge[node]! + list.length;
  });
  const edges = lists.flat();
  return {
    runtime: 'python',
    nodes: {
      count,
      type: new Uint16Array(count),
      kind: Uint32Array.from(names, (name) => intern(name.replace(/\d+$/, ''))),
      name: Uint32Array.from(names, intern),
      size: Float64Array.from(sizes),
      id: Float64Array.from(names, (_, node) => 1000 + node),
      firstEdge,
    },
    edges: {
      count: edges.length,
      to: Uint32Array.from(edges, ({ to }) => to),
      type: Uint8Array.from(edges, ({ weak }) => (weak ? 1 : 0)),
      name: Uint32Array.from(edges, ({ to }) => intern(names[to]!)),
    },
    strings: { count: strings.length, text: (id) => strings[id] ?? '' },
    types: ['object'],
    edgeTypes: ['attribute', 'weak'],
    roots: Uint32Array.from(roots),
    about: { warnings: [] },
  };
}
