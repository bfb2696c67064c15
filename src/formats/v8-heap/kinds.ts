import type { Layout } from './layout.ts';

/** What V8's own types are called beside constructors, as in a browser's developer tools. */
const NAMES: Readonly<Record<string, string>> = {
  hidden: '(system)',
  code: '(compiled code)',
  closure: 'Function',
  regexp: 'RegExp',
};
/** Internal references whose target is a part of its owner, as a Python object's dict is. */
export const OWNED = ['elements', 'properties'] as const;

interface Rows {
  readonly count: number;
  readonly type: Uint16Array;
  readonly name: Uint32Array;
  readonly firstEdge: Uint32Array;
}
interface Links {
  readonly to: Uint32Array;
  readonly type: Uint8Array;
  readonly name: Uint32Array;
}

/** Texts that are not in the file, numbered after those that are. */
export class AddedTexts {
  readonly all: string[] = [];
  readonly #first: number;
  readonly #ids = new Map<string, number>();

  constructor(first: number) {
    this.#first = first;
  }

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#first + this.all.length;
    this.#ids.set(text, id);
    this.all.push(text);
    return id;
  }
}

/**
 * A kind for each object: its constructor, or what V8 calls it. The stores of an object's elements and
 * properties are told by their owner ("elements of Array"), as Heapy does with dicts: a row of half the
 * heap that says "(array)" helps nobody.
 */
export function kindsOf(
  { nodeTypes, edgeTypes }: Layout,
  nodes: Rows,
  edges: Links,
  added: AddedTexts,
  owned: ReadonlyMap<number, string>,
  text: (id: number) => string,
): Uint32Array {
  const named = nodeTypes.map((type) => type === 'object' || type === 'native');
  const fixed = nodeTypes.map((type) =>
    NAMES[type] ? added.id(NAMES[type]) : added.id(`(${type})`),
  );
  const kind = new Uint32Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    const type = nodes.type[node]!;
    kind[node] = named[type] ? nodes.name[node]! : fixed[type]!;
  }
  const internal = edgeTypes.indexOf('internal');
  const [object, array] = [nodeTypes.indexOf('object'), nodeTypes.indexOf('array')];
  const ownedKinds = new Map<string, Map<number, number>>();
  for (const what of owned.values()) ownedKinds.set(what, new Map());
  for (let node = 0; node < nodes.count; node++) {
    if (nodes.type[node] !== object) continue;
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      if (edges.type[edge] !== internal) continue;
      const what = owned.get(edges.name[edge]!);
      const target = edges.to[edge]!;
      if (what === undefined || nodes.type[target] !== array) continue;
      const known = ownedKinds.get(what)!;
      const owner = nodes.name[node]!;
      let id = known.get(owner);
      if (id === undefined) {
        id = added.id(`${what} of ${text(owner)}`);
        known.set(owner, id);
      }
      kind[target] = id;
    }
  }
  return kind;
}
