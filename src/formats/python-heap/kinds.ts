import type { Addresses } from './addresses.ts';
import type { RawHeap } from './raw-heap.ts';

/** What each node is, in the words of a graph. */
export interface Kinds {
  readonly types: readonly string[];
  readonly type: Uint16Array;
  readonly kind: Uint32Array;
  readonly name: Uint32Array;
  /** By node: the dict that holds its attributes; 0 where it has none. */
  readonly ownDict: Uint32Array;
}

/** Names of types beyond what a column of two bytes can tell apart become one. */
const MOST_TYPES = 0xfffe;

export function kindsOf(raw: RawHeap, addresses: Addresses): Kinds {
  const { count, texts, firstStorage } = raw;
  const names = ['synthetic'];
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    let number = numbers.get(name);
    if (number === undefined) {
      const full = names.length > MOST_TYPES;
      number = full ? MOST_TYPES + 1 : names.push(name) - 1;
      if (full) names[number] = '(other types)';
      numbers.set(name, number);
    }
    return number;
  };
  const typeNumbers = raw.typeTable.map(([name]) => numberOf(name));
  const typeWords = raw.typeTable.map(([name]) => texts.word(name));
  const storageNumbers = raw.storageKinds.map(numberOf);
  const storageWords = raw.storageKinds.map((name) => texts.word(name));
  const type = new Uint16Array(count);
  const kind = new Uint32Array(count);
  for (let node = 1; node < count; node++) {
    const number = raw.types[node]!;
    const storage = node >= firstStorage;
    type[node] = (storage ? storageNumbers : typeNumbers)[number] ?? 0;
    kind[node] = (storage ? storageWords : typeWords)[number] ?? 0;
  }
  const ownDict = nameDicts(raw, addresses, kind);
  return { types: names, type, kind, name: namesOf(raw, addresses), ownDict };
}

/** `dict of module.Class`, and `dict (no owner)` for all others. */
function nameDicts(raw: RawHeap, addresses: Addresses, kind: Uint32Array): Uint32Array {
  const { texts, typeTable, own } = raw;
  const plain = typeTable.findIndex(([name]) => name === 'dict');
  const free = texts.word('dict (no owner)');
  for (let node = 1; node < raw.firstStorage; node++)
    if (raw.types[node] === plain) kind[node] = free;
  const words = new Map<number, number>();
  const ownDict = new Uint32Array(raw.count);
  for (let i = 0; i < own.from.length; i += 2) {
    const owner = addresses.find(own.from[i]!, own.from[i + 1]!);
    const dict = addresses.find(own.to[i]!, own.to[i + 1]!);
    if (owner === 0 || dict === 0 || raw.types[dict] !== plain) continue;
    ownDict[owner] = dict;
    // Of several that share one dict the first is its owner.
    if (kind[dict] !== free) continue;
    const number = raw.types[owner]!;
    let word = words.get(number);
    if (word === undefined) {
      word = texts.word(`dict of ${typeTable[number]?.[0] ?? ''}`);
      words.set(number, word);
    }
    kind[dict] = word;
  }
  return ownDict;
}

function namesOf(raw: RawHeap, addresses: Addresses): Uint32Array {
  const name = new Uint32Array(raw.count);
  for (const { node, count, first } of raw.said)
    for (let i = 0; i < count; i++) name[node + i] = raw.texts.idOf(first + i);
  for (const { of, first } of raw.named) {
    for (let i = 0; i < of.length; i += 2) {
      const node = addresses.find(of[i]!, of[i + 1]!);
      if (node !== 0) name[node] = raw.texts.idOf(first + i / 2);
    }
  }
  return name;
}
