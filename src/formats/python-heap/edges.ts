import { FormatError } from '../../base/errors.ts';
import type { HeapInput, HeapReadOptions } from '../heap-format.ts';
import type { Addresses } from './addresses.ts';
import { nameAttributes, nameFunctionParts } from './attributes.ts';
import { type Block, blocks } from './blocks.ts';
import {
  ATTRIBUTE,
  CONTEXT,
  ELEMENT,
  ENTRY,
  INTERNAL,
  KEY,
  type NamedEdges,
} from './edge-types.ts';
import type { Kinds } from './kinds.ts';
import { REFERRING, skipObjects } from './objects.ts';
import type { RawHeap } from './raw-heap.ts';

/** The second reading: addresses become numbers of nodes, now that all are known. */
export async function readEdges(
  input: HeapInput,
  raw: RawHeap,
  kinds: Kinds,
  addresses: Addresses,
  options: HeapReadOptions,
): Promise<NamedEdges> {
  const second = new SecondReading(raw, kinds, addresses);
  const { size } = input;
  const onProgress = (bytes: number) => {
    if (size) options.onProgress?.(0.5 + (0.5 * bytes) / size);
  };
  for await (const block of blocks(input, { only: REFERRING, verify: false, onProgress })) {
    if (block.tag === 'END ') break;
    if (!second.take(block)) throw new FormatError(`${input.name} has changed while it was read`);
  }
  return second.end();
}

class SecondReading {
  readonly #raw: RawHeap;
  readonly #kinds: Kinds;
  readonly #addresses: Addresses;
  readonly #extra: Extra;
  readonly #to: Uint32Array;
  readonly #type: Uint8Array;
  readonly #name: Uint32Array;
  readonly #firstEdge: Uint32Array;
  readonly #words: { dict: number; data: number };
  readonly #str: number;
  /** By the number of a type: names of what its objects refer to. */
  readonly #parts: readonly (readonly number[])[];
  #blocks = 0;
  #node = 1;
  #edge = 0;
  #lost = 0;

  constructor(raw: RawHeap, kinds: Kinds, addresses: Addresses) {
    const { texts, typeTable } = raw;
    this.#raw = raw;
    this.#kinds = kinds;
    this.#addresses = addresses;
    this.#extra = extraEdges(raw, addresses);
    const room = raw.references + raw.more.from.length / 2 + raw.roots.to.length / 2;
    this.#to = new Uint32Array(room);
    this.#type = new Uint8Array(room);
    this.#name = new Uint32Array(room);
    this.#firstEdge = new Uint32Array(raw.count + 1);
    this.#words = { dict: texts.word('__dict__'), data: texts.word('data') };
    this.#parts = typeTable.map(([, , parts = []]) => parts.map((name) => texts.word(name)));
    this.#str = typeTable.findIndex(([name]) => name === 'str');
    this.#addRoots();
  }

  /** False where the block has more than the first reading saw. */
  take(block: Block): boolean {
    const { tag, words, nodes, edges } = block;
    const first = this.#raw.referring[this.#blocks++];
    if (first === undefined || first < this.#node) return false;
    if (first + nodes > this.#raw.firstStorage) return false;
    this.#passOver(first);
    skipObjects(block);
    const degrees = words.ints(nodes);
    const keys = tag === 'DICT' ? words.longs(edges) : null;
    const targets = words.longs(edges);
    let at = 0;
    for (let i = 0; i < nodes; i++) {
      const degree = degrees[i]!;
      if (at + degree > edges) return false;
      this.#firstEdge[this.#node] = this.#edge;
      if (keys) this.#addItems(keys, targets, at, degree);
      else if (tag === 'LIST') this.#addElements(targets, at, degree);
      else this.#addReferences(targets, at, degree);
      this.#addExtra();
      at += degree;
      this.#node++;
    }
    return at === edges;
  }

  /** Those before a node refer to nothing but by `MORE`. */
  #passOver(node: number): void {
    for (; this.#node < node; this.#node++) {
      this.#firstEdge[this.#node] = this.#edge;
      this.#addExtra();
    }
  }

  end(): NamedEdges {
    this.#passOver(this.#raw.firstStorage);
    this.#firstEdge.fill(this.#edge, this.#node);
    const count = this.#edge;
    const edges = {
      count,
      to: this.#to.subarray(0, count),
      type: this.#type.subarray(0, count),
      name: this.#name.subarray(0, count),
    };
    const found = { edges, firstEdge: this.#firstEdge, lost: this.#lost };
    nameAttributes(found, this.#raw, this.#kinds);
    nameFunctionParts(found, this.#raw, this.#kinds);
    return found;
  }

  #add(to: number, type: number, name: number): void {
    this.#to[this.#edge] = to;
    this.#type[this.#edge] = type;
    this.#name[this.#edge++] = name;
  }

  #addRoots(): void {
    const { to, names } = this.#raw.roots;
    for (let i = 0; i < names.length; i++) {
      const node = this.#addresses.find(to[2 * i]!, to[2 * i + 1]!);
      const id = this.#raw.texts.idOf(names[i]!);
      const type = /^\w+$/.test(this.#raw.texts.text(id)) ? ATTRIBUTE : CONTEXT;
      if (node !== 0) this.#add(node, type, id);
    }
  }

  #addItems(keys: Uint32Array, values: Uint32Array, start: number, degree: number): void {
    const { name, kind } = this.#kinds;
    for (let at = 2 * start; at < 2 * (start + degree); at += 2) {
      const key = this.#addresses.find(keys[at]!, keys[at + 1]!);
      const value = this.#addresses.find(values[at]!, values[at + 1]!);
      if (value === 0 || key === 0) this.#lost++;
      // A text stands between brackets as Python would write it, the id beside that of the text itself.
      const own = name[key]!;
      const quoted = this.#raw.types[key] === this.#str ? 1 : 0;
      const said = own === 0 ? kind[key]! : own + quoted;
      if (key !== 0) this.#add(key, KEY, said);
      if (value !== 0) this.#add(value, ENTRY, said);
    }
  }

  #addElements(targets: Uint32Array, start: number, degree: number): void {
    for (let i = 0; i < degree; i++) {
      const at = 2 * (start + i);
      const to = this.#addresses.find(targets[at]!, targets[at + 1]!);
      if (to === 0) this.#lost++;
      else this.#add(to, ELEMENT, i);
    }
  }

  #addReferences(targets: Uint32Array, start: number, degree: number): void {
    const parts = this.#parts[this.#raw.types[this.#node]!];
    const named = parts?.length === degree ? parts : null;
    for (let i = 0; i < degree; i++) {
      const at = 2 * (start + i);
      const to = this.#addresses.find(targets[at]!, targets[at + 1]!);
      if (to === 0) this.#lost++;
      else if (named) this.#add(to, ATTRIBUTE, named[i]!);
      else this.#addReference(to);
    }
  }

  #addReference(to: number): void {
    const { ownDict, kind } = this.#kinds;
    const node = this.#node;
    if (to === ownDict[node]) this.#add(to, ATTRIBUTE, this.#words.dict);
    else if (to >= this.#raw.firstStorage) this.#add(to, ATTRIBUTE, this.#words.data);
    else this.#add(to, INTERNAL, kind[to]!);
  }

  #addExtra(): void {
    const { from, to } = this.#extra;
    while (this.#extra.at < from.length && from[this.#extra.at] === this.#node) {
      const target = to[this.#extra.at++]!;
      if (target === 0) this.#lost++;
      else this.#addReference(target);
    }
  }
}

interface Extra {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  at: number;
}

/** References that are not in their object's block, in the order of nodes. */
function extraEdges({ more, count }: RawHeap, addresses: Addresses): Extra {
  const length = more.from.length / 2;
  const owners = new Uint32Array(length);
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < length; i++) {
    owners[i] = addresses.find(more.from[2 * i]!, more.from[2 * i + 1]!);
    starts[owners[i]! + 1]!++;
  }
  for (let node = 0; node < count; node++) starts[node + 1]! += starts[node]!;
  const from = new Uint32Array(length);
  const to = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const at = starts[owners[i]!]!++;
    from[at] = owners[i]!;
    to[at] = addresses.find(more.to[2 * i]!, more.to[2 * i + 1]!);
  }
  // Those of nobody come first.
  return { from, to, at: lastOf(from, 0) };
}

function lastOf(sorted: Uint32Array, value: number): number {
  let at = 0;
  while (at < sorted.length && sorted[at] === value) at++;
  return at;
}
