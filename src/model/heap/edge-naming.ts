import type { HeapGraph } from './graph.ts';

/** One of many in a container, whichever. */
export const ENTRY = 0;
/** Numbers from here on are of kinds, and below it of names. */
const KINDS = 2 ** 31;
export const isKind = (key: number): boolean => key >= KINDS;

/** References by what they are called, as numbers that are the same in every heap: numbers of texts are not. */
export interface EdgeNaming {
  /** ENTRY, or a number for the name of an attribute, a property or a variable. */
  key(node: number, edge: number): number;
  /** Whether it is a thing in a container, so that each is counted once. */
  isEntry(node: number, edge: number): boolean;
  /** A number for a kind, which is no name's. */
  kindKey(kind: number): number;
}

/** `isStore`: whether a node keeps the attributes or entries of its owner. */
export function edgeNaming(graph: HeapGraph, isStore: (node: number) => boolean): EdgeNaming {
  const hashed = byText(graph, hash);
  const nameKey = (text: number) => ENTRY + 1 + hashed(text);
  const rules = graph.runtime === 'v8' ? v8Rules : pythonRules;
  return { kindKey: (kind) => KINDS + hashed(kind), ...rules(graph, nameKey, isStore) };
}

/** Reads each text once: most references share theirs with many. */
export function byText<T>({ strings }: HeapGraph, make: (text: string) => T): (id: number) => T {
  const known = new Map<number, T>();
  return (id) => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const made = make(strings.text(id));
    known.set(id, made);
    return made;
  };
}

type Rules = (
  graph: HeapGraph,
  nameKey: (text: number) => number,
  isStore: (node: number) => boolean,
) => Pick<EdgeNaming, 'key' | 'isEntry'>;

const pythonRules: Rules = ({ nodes, edges, edgeTypes, types }, nameKey, isStore) => {
  const type = (name: string) => edgeTypes.indexOf(name);
  const [attribute, context, key] = [type('attribute'), type('context'), type('key')];
  const named = (edge: number) => edges.type[edge] === attribute || edges.type[edge] === context;
  // From 3.12 on even a deque refers to its class.
  const classes = types.indexOf('type');
  const [entry, element] = [type('entry'), type('element')];
  const isItem = (edge: number) => edges.type[edge] === entry || edges.type[edge] === element;
  // What a set or a deque has is not told apart from its other parts; a dict's and a list's is.
  const hasItems = new Uint8Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      if (isItem(edge)) hasItems[node] = 1;
    }
  }
  return {
    // In the dict of an object's attributes each entry has a name of its own.
    key: (node, edge) => (named(edge) || isStore(node) ? nameKey(edges.name[edge]!) : ENTRY),
    isEntry: (node, edge) =>
      !isStore(node) &&
      (hasItems[node] === 1
        ? isItem(edge)
        : !named(edge) && edges.type[edge] !== key && nodes.type[edges.to[edge]!] !== classes),
  };
};

const v8Rules: Rules = (graph, nameKey, isStore) => {
  const { nodes, edges, edgeTypes } = graph;
  const type = (name: string) => edgeTypes.indexOf(name);
  const [element, property, internal, hidden] = [
    type('element'),
    type('property'),
    type('internal'),
    type('hidden'),
  ];
  const { isTable, isDictionary } = storesOf(graph);
  const place = byText(graph, (text) => (/^\d+$/.test(text) ? Number(text) : -1));
  const isPrototype = byText(graph, (text) => text === '__proto__');
  const placeOf = (edge: number) => (edges.type[edge] === internal ? place(edges.name[edge]!) : -1);
  return {
    key(node, edge) {
      const is = edges.type[edge];
      if (is === element || is === hidden) return ENTRY;
      if (isStore(node) && placeOf(edge) >= 0) return ENTRY;
      return is === property && isDictionary[node] === 1 ? ENTRY : nameKey(edges.name[edge]!);
    },
    isEntry(node, edge) {
      if (isTable[node] === 1) {
        const at = placeOf(edge);
        // A key and its value lie side by side.
        const first = edge === nodes.firstEdge[node] || placeOf(edge - 1) !== at - 1;
        return at >= 0 && first;
      }
      if (edges.type[edge] === element) return true;
      if (edges.type[edge] !== property || isDictionary[node] === 0) return false;
      return !isPrototype(edges.name[edge]!);
    },
  };
};

/** Tables of Maps and Sets; and objects that are used as dictionaries, whose properties V8 keeps in a table. */
function storesOf(graph: HeapGraph) {
  const { nodes, edges, edgeTypes, types } = graph;
  const [internal, array] = [edgeTypes.indexOf('internal'), types.indexOf('array')];
  const meaning = byText(graph, (text) => (text === 'table' ? 1 : text === 'properties' ? 2 : 0));
  const isTable = new Uint8Array(nodes.count);
  const isDictionary = new Uint8Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    if (nodes.type[node] === array) continue;
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const to = edges.to[edge]!;
      if (edges.type[edge] !== internal || nodes.type[to] !== array) continue;
      const means = meaning(edges.name[edge]!);
      if (means === 1) isTable[to] = 1;
      else if (means === 2) isDictionary[node] = 1;
    }
  }
  return { isTable, isDictionary };
}

/** FNV-1a in 30 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 2;
}
