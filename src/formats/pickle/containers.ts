import { FormatError } from '../../base/errors.ts';
import type { ListTrie } from './list-trie.ts';
import type { Memory } from './memory.ts';
import type { Objects } from './objects.ts';
import { type Fields, newFields, type Shape, TAG } from './values.ts';

/** Fills lists, dicts and tuples with what lies above them on the stack. */
export class Containers {
  /** The values of the dict at hand, by the numbers of the known keys. */
  readonly fields: Fields;
  readonly shapes: readonly Shape[];
  /** Shape + 1 by the number of a key, where it is the marker of one. */
  readonly markers: Uint8Array;
  /** The same, of frequent shapes only. */
  readonly frequent: Uint8Array;
  /** By shape: 1 where a record's place in its list matters. */
  readonly placed: Uint8Array;
  readonly #objects: Objects;
  readonly #memory: Memory;
  readonly #trie: ListTrie;

  constructor(
    memory: Memory,
    objects: Objects,
    trie: ListTrie,
    keys: readonly string[],
    shapes: readonly Shape[],
  ) {
    this.#memory = memory;
    this.#objects = objects;
    this.#trie = trie;
    this.shapes = shapes;
    this.fields = newFields(keys.length);
    this.markers = new Uint8Array(keys.length);
    this.frequent = new Uint8Array(keys.length);
    this.placed = Uint8Array.from(shapes, (shape) => (shape.length ? 1 : 0));
    for (const [i, { marker, frequent }] of shapes.entries()) {
      this.markers[keys.indexOf(marker)] = i + 1;
      if (frequent) this.frequent[keys.indexOf(marker)] = i + 1;
    }
  }

  /** Pairs from `from` on go into the dict below; returns the new top. */
  setItems(from: number): number {
    const memory = this.#memory;
    const place = this.#below(from);
    if ((memory.top - from) % 2 !== 0) throw new FormatError('has a key without its value');
    const tag = memory.tagAt(place);
    const shape = tag === TAG.dict ? this.#shapeOf(from) : 0;
    if (shape > 0) {
      this.#gather(from);
      const position = this.placed[shape - 1] ? this.position(place) : -1;
      const id = this.shapes[shape - 1]!.add(this.fields, position);
      memory.set(place, TAG.record + shape - 1, id);
    } else if (tag === TAG.dict || tag === TAG.object) {
      memory.set(place, TAG.object, this.#objects.setItems(memory, place, from, memory.top));
    } else throw new FormatError('fills a dict in two parts, or what is no dict');
    return from;
  }

  #shapeOf(from: number): number {
    const { tags, values, top } = this.#memory;
    for (let i = from; i < top; i += 2) {
      if (tags[i] !== TAG.text || values[i]! >= this.markers.length) continue;
      const shape = this.markers[values[i]!]!;
      if (shape > 0) return shape;
    }
    return 0;
  }

  #gather(from: number): void {
    const memory = this.#memory;
    const { tags, values, halves, top } = memory;
    const { fields } = this;
    fields.words.fill(0);
    for (let i = from; i < top; i += 2) {
      if (tags[i] !== TAG.text || values[i]! >= fields.tags.length) continue;
      const key = values[i]!;
      memory.resolve(i + 1);
      const tag = tags[i + 1]!;
      const wide = tag === TAG.wide;
      const value = wide ? 0 : values[i + 1]!;
      const upper = Math.floor(value / 2 ** 32);
      fields.tags[key] = tag;
      fields.low[key] = wide ? halves[2 * i + 2]! : value - upper * 2 ** 32;
      fields.high[key] = wide ? halves[2 * i + 3]! : upper;
      fields.floats[key] = value;
    }
  }

  /** How many records the list has before the one at `place`, which is about to join it. */
  position(place: number): number {
    const memory = this.#memory;
    // Right above its list, or above others that wait with it for the end of the batch.
    const alone = place > 0 && this.#isList(place - 1);
    const list = alone ? place - 1 : memory.lowest() - 1;
    if (list < 0) return 0;
    const tag = memory.tagAt(list);
    const shape = tag >= TAG.listOf ? this.shapes[tag - TAG.listOf] : undefined;
    return (shape?.length?.(memory.valueAt(list)) ?? 0) + place - list - 1;
  }

  #isList(place: number): boolean {
    const tag = this.#memory.tagAt(place);
    return tag === TAG.list || tag >= TAG.listOf;
  }

  /** Items from `from` on go into the list below; returns the new top. */
  append(from: number): number {
    const memory = this.#memory;
    const { tags, top } = memory;
    const place = this.#below(from);
    if (from === top) return from;
    memory.resolve(from);
    const first = tags[from]!;
    let same = true;
    for (let i = from + 1; i < top; i++) {
      if (tags[i] === TAG.alias) memory.resolve(i);
      if (tags[i] !== first) same = false;
    }
    const tag = memory.tagAt(place);
    const list = tag === TAG.list ? -1 : memory.valueAt(place);
    const listTag = first - TAG.record + TAG.listOf;
    const records = same && first >= TAG.record && first < TAG.listOf;
    if (records && (tag === TAG.list || tag === listTag)) {
      const shape = this.shapes[first - TAG.record]!;
      memory.set(place, listTag, shape.append(list, memory, from, top));
    } else if (same && first === TAG.text && (tag === TAG.list || tag === TAG.texts)) {
      let node = list;
      for (let i = from; i < top; i++) node = this.#trie.child(node, memory.values[i]!);
      memory.set(place, TAG.texts, node);
    } else if (tag === TAG.list && this.#objects.isPair(memory, from, top)) {
      memory.set(
        place,
        TAG.pair,
        this.#objects.pair(memory.values[from]!, memory.values[from + 1]!),
      );
    } else if (tag === TAG.list || tag === TAG.object) {
      memory.set(place, TAG.object, this.#objects.append(memory, place, from, top));
    } else throw new FormatError('has a list of things of several kinds, or fills what is no list');
    return from;
  }

  /** Makes a tuple of what lies from `from` on; returns the new top. */
  tuple(from: number): number {
    const memory = this.#memory;
    if (from < memory.lowest()) {
      throw new FormatError('makes a tuple of values that are not there');
    }
    for (let i = from; i < memory.top; i++) memory.resolve(i);
    const pair = this.#objects.isPair(memory, from, memory.top);
    const id = pair
      ? this.#objects.pair(memory.values[from]!, memory.values[from + 1]!)
      : this.#objects.list(memory, from, memory.top);
    memory.tags[from] = pair ? TAG.pair : TAG.object;
    memory.values[from] = id;
    return from + 1;
  }

  /** The container below `from`, which is about to be filled. */
  #below(from: number): number {
    if (from - 1 < this.#memory.lowest() || from > this.#memory.top) {
      throw new FormatError('fills a list or dict that is not there');
    }
    return from - 1;
  }
}
