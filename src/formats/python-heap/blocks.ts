import { FormatError } from '../../base/errors.ts';
import type { HeapInput } from '../heap-format.ts';
import { crc32 } from './crc32.ts';

/** "HWHEAP" and an end of line that a transfer as text would spoil. */
export const MAGIC = Uint8Array.of(0x48, 0x57, 0x48, 0x45, 0x41, 0x50, 0x0d, 0x0a);
/** The first had a type and 64 bits of size for each object, and texts only beside them. */
const [FIRST_VERSION, VERSION] = [1, 2] as const;
const FILE_HEAD = 16;
const BLOCK_HEAD = 16;
/** Each block begins with two counts: objects, and references or bytes of text. */
const COUNTS = 16;

export interface Block {
  readonly version: number;
  readonly tag: string;
  /** Where it begins in the file. */
  readonly offset: number;
  readonly nodes: number;
  readonly edges: number;
  readonly words: WordReader;
  /** All of it, as it is in the file. */
  readonly bytes: Uint8Array;
}

/** Columns of a block, one after the other. */
export class WordReader {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  #at = COUNTS;
  readonly #spoiled: () => FormatError;

  constructor(bytes: Uint8Array, spoiled: () => FormatError) {
    this.#bytes = bytes;
    this.#words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
    this.#spoiled = spoiled;
  }

  /** 64-bit numbers, exact up to 2⁵³: low and high halves side by side from `[0]` on. */
  longs(count: number): Uint32Array {
    return this.#take(count, 8);
  }

  ints(count: number): Uint32Array {
    return this.#take(count, 4);
  }

  text(count: number): Uint8Array {
    if (this.#at + count !== this.#bytes.length) throw this.#spoiled();
    return this.#bytes.subarray(this.#at, this.#at + count);
  }

  /** What the columns say cannot be. */
  get spoiled(): FormatError {
    return this.#spoiled();
  }

  #take(count: number, width: number): Uint32Array {
    const length = count * width;
    if (this.#at + length > this.#bytes.length) throw this.#spoiled();
    const column = this.#words.subarray(this.#at >>> 2, (this.#at + length) >>> 2);
    this.#at += length;
    return column;
  }
}

export interface BlockOptions {
  /** Others are passed over. */
  readonly only?: ReadonlySet<string>;
  /** Whether checksums are compared; once is enough. */
  readonly verify: boolean;
  onProgress?(bytes: number): void;
}

/** The blocks of a file in order; each is of use until the next is asked for. */
export async function* blocks(input: HeapInput, options: BlockOptions): AsyncGenerator<Block> {
  const bytes = new ByteReader(input);
  const checksum = input.crc32 ?? crc32;
  const head = await bytes.take(FILE_HEAD);
  if (!isPythonHeap(head)) throw new FormatError(`${input.name} is no heap of a Python process`);
  const version = new DataView(head.buffer, head.byteOffset).getUint32(8, true);
  if (version < FIRST_VERSION || version > VERSION) {
    throw new FormatError(
      `${input.name} is a heap of version ${version}; this reads ${FIRST_VERSION} to ${VERSION}`,
      { hint: 'read it with the Highwater that came with the agent that wrote it' },
    );
  }
  for (;;) {
    const offset = bytes.offset;
    const start = await bytes.take(BLOCK_HEAD);
    const view = new DataView(start.buffer, start.byteOffset, BLOCK_HEAD);
    const tag = String.fromCharCode(...start.subarray(0, 4));
    const length = view.getUint32(8, true) + view.getUint32(12, true) * 2 ** 32;
    const spoiled = (why: string) =>
      new FormatError(`${input.name} is damaged: the block at byte ${offset} ${why}`);
    if (!/^[A-Z]{3}[A-Z ]$/.test(tag)) throw spoiled('has no name');
    if (length < COUNTS || length > Number.MAX_SAFE_INTEGER) throw spoiled('has no length');
    if (options.only && !options.only.has(tag) && tag !== 'END ') {
      await bytes.skip(length);
      continue;
    }
    const payload = await bytes.take(length);
    if (options.verify && checksum(payload) !== view.getUint32(4, true)) {
      throw spoiled('does not match its checksum');
    }
    options.onProgress?.(bytes.offset);
    const counts = new DataView(payload.buffer, payload.byteOffset, COUNTS);
    const count = (at: number) =>
      counts.getUint32(at, true) + counts.getUint32(at + 4, true) * 2 ** 32;
    const words = new WordReader(payload, () => spoiled('is not what its counts say'));
    // No object and no reference takes less than a byte, so that nothing is made room for that is not there.
    const [nodes, edges] = [count(0), count(8)];
    if (tag !== 'END ' && Math.max(nodes, edges) > length) throw spoiled('lies about its counts');
    yield { version, tag, offset, nodes, edges, words, bytes: payload };
    if (tag === 'END ') return;
  }
}

export function isPythonHeap(head: Uint8Array): boolean {
  return head.length >= MAGIC.length && MAGIC.every((byte, i) => head[i] === byte);
}

/** Hands out a stream's bytes in whole, aligned pieces; never makes room for more than there is. */
class ByteReader {
  readonly #input: HeapInput;
  readonly #pieces: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);
  offset = 0;

  constructor(input: HeapInput) {
    this.#input = input;
    const stream = input.stream();
    this.#pieces =
      Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  }

  async take(length: number): Promise<Uint8Array> {
    const { size } = this.#input;
    if (size !== null && this.offset + length > size) throw this.#cut();
    // Of a stream whose length nobody knows a little is taken at a time.
    let taken = new Uint8Array(size === null ? Math.min(length, 1 << 20) : length);
    let filled = 0;
    while (filled < length) {
      if (this.#piece.length === 0) await this.#next();
      const part = this.#piece.subarray(0, length - filled);
      if (filled + part.length > taken.length) taken = grown(taken, length, filled + part.length);
      taken.set(part, filled);
      filled += part.length;
      this.#piece = this.#piece.subarray(part.length);
    }
    this.offset += length;
    return taken.subarray(0, length);
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      if (this.#piece.length === 0) await this.#next();
      const part = Math.min(left, this.#piece.length);
      this.#piece = this.#piece.subarray(part);
      left -= part;
      this.offset += part;
    }
  }

  async #next(): Promise<void> {
    const next = await this.#pieces.next();
    if (next.done) throw this.#cut();
    this.#piece = next.value;
  }

  #cut(): FormatError {
    return new FormatError(
      `${this.#input.name} is cut: the block at byte ${this.offset} has no end`,
      { hint: 'take the heap again; a whole file ends with a block of its own' },
    );
  }
}

function grown(bytes: Uint8Array, most: number, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(most, Math.max(least, bytes.length * 2)));
  larger.set(bytes);
  return larger;
}
