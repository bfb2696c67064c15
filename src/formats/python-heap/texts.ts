import type { HeapStrings } from '../../model/heap/graph.ts';

interface Chunk {
  /** Number of its first text. */
  readonly first: number;
  /** Where each begins in `bytes`; one more for the end. Of integers there are halves instead. */
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;
  readonly integers?: Uint32Array;
}

const NO_BYTES = new Uint8Array(0);
const NO_STARTS = new Uint32Array(0);

/**
 * Texts of objects, kept as bytes and decoded when asked for, and words of our own. A text has two ids:
 * as it is, and (one more) as Python would write it, for keys between brackets.
 */
export class HeapTexts implements HeapStrings {
  readonly #chunks: Chunk[] = [];
  #texts = 0;
  readonly #words: string[] = [];
  readonly #ids = new Map<string, number>();
  readonly #decoder = new TextDecoder();

  get count(): number {
    return this.#base + this.#words.length;
  }

  /** Keeps texts that follow each other in `bytes`; returns the number of the first. Before any word. */
  add(lengths: Uint32Array, bytes: Uint8Array): number {
    const starts = new Uint32Array(lengths.length + 1);
    for (let i = 0; i < lengths.length; i++) starts[i + 1] = starts[i]! + lengths[i]!;
    const first = this.#texts;
    this.#chunks.push({ first, starts, bytes: bytes.slice() });
    this.#texts += lengths.length;
    return first;
  }

  /** The same of 64-bit integers, by low and high halves. */
  addIntegers(halves: Uint32Array): number {
    const first = this.#texts;
    this.#chunks.push({ first, starts: NO_STARTS, bytes: NO_BYTES, integers: halves.slice() });
    this.#texts += halves.length / 2;
    return first;
  }

  /** The id of the text with a number. */
  idOf(number: number): number {
    return 1 + 2 * number;
  }

  word(text: string): number {
    if (text === '') return 0;
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#base + this.#words.push(text) - 1;
      this.#ids.set(text, id);
    }
    return id;
  }

  text(id: number): string {
    if (id === 0) return '';
    if (id >= this.#base) return this.#words[id - this.#base] ?? '';
    const text = this.#decode((id - 1) >>> 1);
    return (id & 1) === 1 ? text : quoted(text);
  }

  get #base(): number {
    return 1 + 2 * this.#texts;
  }

  #decode(number: number): string {
    let [low, high] = [0, this.#chunks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#chunks[middle]!.first <= number) low = middle;
      else high = middle - 1;
    }
    const { first, starts, bytes, integers } = this.#chunks[low]!;
    if (integers) {
      const at = 2 * (number - first);
      return String((BigInt(integers[at + 1]! | 0) << 32n) | BigInt(integers[at]!));
    }
    return this.#decoder.decode(bytes.subarray(starts[number - first], starts[number - first + 1]));
  }
}

function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replace(/[\\\n\r\t]/g, (c) => ESCAPES[c]!);
  return mark + (mark === "'" ? inside.replaceAll("'", "\\'") : inside) + mark;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
