import { FormatError } from '../../base/errors.ts';
import type { ListTrie } from './list-trie.ts';
import type { Memory } from './memory.ts';
import type { Texts } from './texts.ts';
import { type PickleValue, type Shape, TAG } from './values.ts';

/** All that is no record: a snapshot has some dozens of settings, and nothing else of the kind. */
const MAX_CELLS = 1 << 20;

/** Lists and dicts of no known shape, made into objects; pairs of numbers, which are many, as ids. */
export class Objects {
  readonly #texts: Texts;
  readonly #trie: ListTrie;
  readonly #shapes: readonly Shape[];
  readonly #objects: PickleValue[] = [];
  readonly #pairs: [number, number][] = [];
  readonly #pairIds = new Map<number, Map<number, number>>();
  readonly #mostCells: number;
  #cells = 0;

  constructor(
    texts: Texts,
    trie: ListTrie,
    shapes: readonly Shape[],
    mostCells: number = MAX_CELLS,
  ) {
    this.#mostCells = mostCells;
    this.#texts = texts;
    this.#trie = trie;
    this.#shapes = shapes;
  }

  isPair({ tags }: Memory, from: number, to: number): boolean {
    return to - from === 2 && tags[from] === TAG.int && tags[from + 1] === TAG.int;
  }

  /** The number of a pair of whole numbers. */
  pair(first: number, second: number): number {
    let ids = this.#pairIds.get(first);
    if (!ids) {
      ids = new Map();
      this.#pairIds.set(first, ids);
    }
    let id = ids.get(second);
    if (id === undefined) {
      this.#count(2);
      id = this.#pairs.push([first, second]) - 1;
      ids.set(second, id);
    }
    return id;
  }

  pairOf(id: number): readonly [number, number] {
    return this.#pairs[id]!;
  }

  /** A number that is to be remembered. */
  keep(memory: Memory, place: number): number {
    this.#count(1);
    return this.#objects.push(this.value(memory, place)) - 1;
  }

  /** Puts an object on the stack again; a number as a number. */
  recall(memory: Memory, id: number): void {
    const value = this.#objects[id]!;
    if (typeof value === 'number') memory.push(TAG.int, value);
    else memory.push(TAG.object, id);
  }

  list(memory: Memory, from: number, to: number): number {
    const id = this.#objects.push([]) - 1;
    this.#fill(id, memory, from, to);
    return id;
  }

  /** Appends to the list at `place`, which is made when it is still empty. */
  append(memory: Memory, place: number, from: number, to: number): number {
    if (memory.tagAt(place) === TAG.list) return this.list(memory, from, to);
    const id = memory.valueAt(place);
    this.#fill(id, memory, from, to);
    return id;
  }

  #fill(id: number, memory: Memory, from: number, to: number): void {
    const list = this.#objects[id];
    if (!Array.isArray(list)) throw new FormatError('appends to what is no list');
    this.#count(1 + to - from);
    for (let i = from; i < to; i++) list.push(this.value(memory, i));
  }

  /** A Map, in which a key like __proto__ is one like any other. */
  setItems(memory: Memory, place: number, from: number, to: number): number {
    const id =
      memory.tagAt(place) === TAG.dict ? this.#objects.push(new Map()) - 1 : memory.valueAt(place);
    const dict = this.#objects[id];
    if (!(dict instanceof Map)) throw new FormatError('sets a key of what is no dict');
    this.#count(1 + to - from);
    for (let i = from; i < to; i += 2) {
      const key = this.value(memory, i);
      dict.set(typeof key === 'object' ? '' : String(key), this.value(memory, i + 1));
    }
    return id;
  }

  #count(cells: number): void {
    this.#cells += cells;
    if (this.#cells > this.#mostCells) {
      throw new FormatError(`holds over ${this.#mostCells} values that are no part of a snapshot`);
    }
  }

  /** What lies at a place of the stack, as a value; records stay references to their rows. */
  value(memory: Memory, place: number): PickleValue {
    const tag = memory.tagAt(place);
    const value = memory.valueAt(place);
    switch (tag) {
      case TAG.none:
      case TAG.bytes:
        return null;
      case TAG.bool:
        return value !== 0;
      case TAG.int:
      case TAG.float:
        return value;
      case TAG.wide:
        return (BigInt(memory.halves[2 * place + 1]!) << 32n) | BigInt(memory.halves[2 * place]!);
      case TAG.text:
        return this.#texts.text(value);
      case TAG.dict:
        return new Map();
      case TAG.list:
        return [];
      case TAG.object:
        return this.#objects[value]!;
      case TAG.pair:
        return this.#pairs[value]!;
      case TAG.texts:
        return this.#list(value);
    }
    const shape = this.#shapes[tag & (TAG.record - 1)]!;
    return { shape, kind: tag >= TAG.listOf ? 'list' : 'record', id: value };
  }

  #list(node: number): string[] {
    const texts: string[] = [];
    for (let at = node; ; at = this.#trie.parents[at]!) {
      texts.push(this.#texts.text(this.#trie.items[at]!));
      this.#count(1);
      if (this.#trie.parents[at] === at) return texts.reverse();
    }
  }
}
