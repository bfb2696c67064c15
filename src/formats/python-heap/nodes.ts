import { isObject } from '../../base/checks.ts';
import { FormatError } from '../../base/errors.ts';
import type { HeapInput, HeapReadOptions } from '../heap-format.ts';
import { type Block, blocks } from './blocks.ts';
import { floats, objectColumns, REFERRING } from './objects.ts';
import type { NamedRow, Pairs, RawHeap, TypeRow } from './raw-heap.ts';
import { HeapTexts } from './texts.ts';

const NONE: Pairs = { from: new Uint32Array(0), to: new Uint32Array(0) };

interface Part {
  readonly ids: Float64Array;
  readonly sizes: Float64Array;
  readonly types: Uint32Array;
}

export async function readNodes(input: HeapInput, options: HeapReadOptions): Promise<RawHeap> {
  const first = new FirstReading(input.name);
  const { size } = input;
  const onProgress = (bytes: number) => {
    if (size) options.onProgress?.((0.5 * bytes) / size);
  };
  for await (const block of blocks(input, { verify: true, onProgress })) first.take(block);
  return first.end();
}

class FirstReading {
  readonly #name: string;
  readonly #parts: Part[] = [];
  #data: Part | null = null;
  readonly #typeNumbers = new Map<number, number>();
  #lastType = -1;
  #lastNumber = -1;
  #references = 0;
  #written = 0;
  #nodes = 0;
  #types: unknown = [];
  #kinds: unknown = [];
  #info: unknown = {};
  #more = NONE;
  #own = NONE;
  #roots = { to: new Uint32Array(0), names: new Uint32Array(0) };
  readonly #named: { of: Uint32Array; first: number }[] = [];
  readonly #texts = new HeapTexts();
  readonly #said: NamedRow[] = [];
  readonly #referring: number[] = [];
  #end: Block | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  take(block: Block): void {
    const { tag, words, nodes, edges } = block;
    switch (tag) {
      case 'LEAF':
      case 'NODE':
      case 'LIST':
      case 'DICT':
        this.#takeNodes(block);
        break;
      case 'STR ':
        this.#takeNodes(block);
        this.#nameLast(nodes, this.#takeTexts(block));
        break;
      case 'INT ':
        this.#takeNodes(block);
        this.#nameLast(nodes, this.#texts.addIntegers(words.longs(nodes)));
        break;
      case 'DATA': {
        const ids = floats(words.longs(nodes));
        this.#data = { ids, sizes: floats(words.longs(nodes)), types: words.ints(nodes).slice() };
        break;
      }
      case 'MORE':
        this.#more = { from: words.longs(edges).slice(), to: words.longs(edges).slice() };
        break;
      case 'OWN ':
        this.#own = { from: words.longs(edges).slice(), to: words.longs(edges).slice() };
        break;
      case 'TEXT':
      case 'ROOT': {
        const of = words.longs(nodes).slice();
        const first = this.#takeTexts(block);
        if (tag === 'TEXT') this.#named.push({ of, first });
        else
          this.#roots = { to: of, names: Uint32Array.from({ length: nodes }, (_, i) => first + i) };
        break;
      }
      case 'TYPE':
        this.#types = this.#json(block);
        break;
      case 'KIND':
        this.#kinds = this.#json(block);
        break;
      case 'INFO':
        this.#info = this.#json(block);
        break;
      case 'END ':
        this.#end = block;
    }
  }

  end(): RawHeap {
    const said = this.#end!;
    if (said.nodes !== this.#nodes || said.edges !== this.#written) throw this.#lie(said);
    const data = this.#data ?? part(0);
    const count = 1 + this.#nodes + data.ids.length;
    const whole = {
      ids: new Float64Array(count),
      sizes: new Float64Array(count),
      types: new Uint32Array(count),
    };
    let at = 1;
    for (const one of [...this.#parts, data]) {
      whole.ids.set(one.ids, at);
      whole.sizes.set(one.sizes, at);
      whole.types.set(one.types, at);
      at += one.ids.length;
    }
    this.#parts.length = 0;
    return {
      ...whole,
      count,
      firstStorage: 1 + this.#nodes,
      references: this.#references,
      typeTable: this.#typeTable(),
      storageKinds: texts(this.#kinds),
      more: this.#more,
      own: this.#own,
      roots: this.#roots,
      named: this.#named,
      said: this.#said,
      referring: this.#referring,
      texts: this.#texts,
      info: isObject(this.#info) ? this.#info : {},
    };
  }

  #takeNodes(block: Block): void {
    const { tag, nodes, edges } = block;
    const { ids, sizes, types: addresses } = objectColumns(block);
    const types = new Uint32Array(nodes);
    if (addresses.length === 2) types.fill(this.#typeNumber(addresses[0]!, addresses[1]!));
    else
      for (let i = 0; i < nodes; i++)
        types[i] = this.#typeNumber(addresses[2 * i]!, addresses[2 * i + 1]!);
    this.#parts.push({ ids, sizes, types });
    if (REFERRING.has(tag)) {
      this.#referring.push(1 + this.#nodes);
      this.#written += edges;
      this.#references += tag === 'DICT' ? 2 * edges : edges;
    }
    this.#nodes += nodes;
  }

  /** The number of the first. */
  #takeTexts(block: Block): number {
    const { words, nodes, edges } = block;
    const lengths = words.ints(nodes);
    let sum = 0;
    for (let i = 0; i < nodes; i++) sum += lengths[i]!;
    if (sum !== edges) throw this.#lie(block);
    return this.#texts.add(lengths, words.text(edges));
  }

  #nameLast(count: number, first: number): void {
    this.#said.push({ node: 1 + this.#nodes - count, count, first });
  }

  #typeNumber(low: number, high: number): number {
    const address = high * 2 ** 32 + low;
    // Objects of a type come in rows.
    if (address === this.#lastType) return this.#lastNumber;
    let number = this.#typeNumbers.get(address);
    if (number === undefined) {
      number = this.#typeNumbers.size;
      this.#typeNumbers.set(address, number);
    }
    this.#lastType = address;
    this.#lastNumber = number;
    return number;
  }

  /** By number: types that no block tells about have no name. */
  #typeTable(): TypeRow[] {
    const table = Array.from(this.#typeNumbers, (): TypeRow => ['(unknown)', '']);
    for (const row of Array.isArray(this.#types) ? this.#types : []) {
      if (!Array.isArray(row) || typeof row[1] !== 'string') continue;
      const number = this.#typeNumbers.get(Number(row[0]));
      if (number !== undefined)
        table[number] = [row[1].slice(0, 500), String(row[2] ?? '').slice(0, 500), texts(row[3])];
    }
    return table;
  }

  #json(block: Block): unknown {
    try {
      return JSON.parse(new TextDecoder().decode(block.words.text(block.edges)));
    } catch (error) {
      if (error instanceof FormatError) throw error;
      throw new FormatError(
        `${this.#name} is damaged: the block at byte ${block.offset} is not JSON`,
      );
    }
  }

  #lie({ offset }: Block): FormatError {
    return new FormatError(
      `${this.#name} is damaged: the block at byte ${offset} lies about its counts`,
    );
  }
}

function part(length: number): Part {
  return {
    ids: new Float64Array(length),
    sizes: new Float64Array(length),
    types: new Uint32Array(length),
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map((one) => String(one).slice(0, 500)) : [];
}
