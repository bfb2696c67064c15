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

/** A kind for each object: its constructor, or what V8 calls it. */
export function kindsOf(nodeTypes: readonly string[], nodes: Rows, added: AddedTexts): Uint32Array {
  const named = Uint8Array.from(nodeTypes, (type) =>
    type === 'object' || type === 'native' ? 1 : 0,
  );
  const fixed = Uint32Array.from(nodeTypes, (type) => added.id(NAMES[type] ?? `(${type})`));
  const kind = new Uint32Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    const type = nodes.type[node]!;
    kind[node] = named[type] === 1 ? nodes.name[node]! : fixed[type]!;
  }
  return kind;
}

/**
 * The kinds of the stores of objects' elements and properties, told by their owner ("elements of Array"),
 * as Heapy does with dicts: a row of half the heap that says "(array)" helps nobody.
 */
export class OwnedKinds {
  readonly #added: AddedTexts;
  readonly #text: (id: number) => string;
  /** For each of OWNED, by the owner's name: the kind + 1; 0: not met yet. */
  readonly #known: readonly Uint32Array[];

  constructor(texts: number, added: AddedTexts, text: (id: number) => string) {
    this.#added = added;
    this.#text = text;
    this.#known = OWNED.map(() => new Uint32Array(texts));
  }

  /** `what` is a place in OWNED, `owner` the text that names the owner. */
  of(what: number, owner: number): number {
    const known = this.#known[what]!;
    if (known[owner] === 0) {
      known[owner] = this.#added.id(`${OWNED[what]} of ${this.#text(owner)}`) + 1;
    }
    return known[owner]! - 1;
  }
}
