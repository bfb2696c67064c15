import { FormatError } from '../../base/errors.ts';

const MAGIC = [0x04, 0x22, 0x4d, 0x18];
/** How far back a block may refer. */
const WINDOW = 1 << 16;
/** Sizes of blocks by their code in the header; smaller codes are not in use. */
const BLOCK_BYTES: Readonly<Record<number, number>> = {
  4: 1 << 16,
  5: 1 << 18,
  6: 1 << 20,
  7: 1 << 22,
};

export const isLz4 = (head: Uint8Array) => MAGIC.every((byte, i) => head[i] === byte);

/** The pieces as they are, or unpacked where they are an LZ4 frame, in pieces of one block each. */
export async function* unpackedLz4(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  let frame: Lz4Frame | null | undefined;
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    frame ??= frame === undefined && isLz4(piece) ? new Lz4Frame(name) : null;
    if (frame === null) yield piece;
    else yield* frame.push(piece);
  }
  if (frame && !frame.done) throw frame.refusal('ends in the middle of its packed data');
}

/** Blocks of one frame: each tells its length, and may refer to what was unpacked before it. */
class Lz4Frame {
  done = false;
  readonly #name: string;
  #waiting = new Uint8Array(0);
  #mostBytes = 0;
  #independent = false;
  #behind = 0;
  /** What was unpacked last, then the block at work. */
  #out = new Uint8Array(0);
  #filled = 0;

  constructor(name: string) {
    this.#name = name;
  }

  *push(piece: Uint8Array): Generator<Uint8Array> {
    const bytes = new Uint8Array(this.#waiting.length + piece.length);
    bytes.set(this.#waiting);
    bytes.set(piece, this.#waiting.length);
    let at = this.#mostBytes === 0 ? this.#header(bytes) : 0;
    const view = new DataView(bytes.buffer);
    while (this.#mostBytes > 0 && !this.done && bytes.length - at >= 4) {
      const word = view.getUint32(at, true);
      if (word === 0) {
        this.done = true;
        break;
      }
      const length = word & 0x7fffffff;
      if (length > this.#mostBytes) throw this.refusal('has a block that is larger than it says');
      if (bytes.length - at < 4 + length + this.#behind) break;
      const block = bytes.subarray(at + 4, at + 4 + length);
      yield this.#block(block, word >>> 31 === 1);
      at += 4 + length + this.#behind;
    }
    this.#waiting = bytes.slice(at);
  }

  /** Where the first block begins; 0 while not all of it is there. */
  #header(bytes: Uint8Array): number {
    const flags = bytes[4] ?? 0;
    const length = 7 + (flags & 0x08 ? 8 : 0) + (flags & 0x01 ? 4 : 0);
    if (bytes.length < length) return 0;
    const most = BLOCK_BYTES[(bytes[5]! >> 4) & 7];
    if (flags >> 6 !== 1 || most === undefined || flags & 0x01) {
      throw this.refusal('is packed in a way of LZ4 that is not known');
    }
    this.#independent = (flags & 0x20) !== 0;
    this.#behind = flags & 0x10 ? 4 : 0;
    this.#mostBytes = most;
    this.#out = new Uint8Array(WINDOW + most);
    return length;
  }

  #block(block: Uint8Array, plain: boolean): Uint8Array {
    const kept = this.#independent ? 0 : Math.min(this.#filled, WINDOW);
    this.#out.copyWithin(0, this.#filled - kept, this.#filled);
    if (plain) {
      this.#out.set(block, kept);
      this.#filled = kept + block.length;
    } else this.#filled = this.#unpack(block, kept);
    return this.#out.subarray(kept, this.#filled);
  }

  /** Sequences of bytes as they are, each followed by a stretch of what is there already. */
  #unpack(block: Uint8Array, from: number): number {
    const out = this.#out;
    const end = from + this.#mostBytes;
    let [at, to] = [0, from];
    const length = (short: number) => {
      if (short < 15) return short;
      let sum = short;
      for (;;) {
        if (at >= block.length) throw this.refusal('has a damaged block');
        const byte = block[at++]!;
        sum += byte;
        if (byte < 255) return sum;
      }
    };
    while (at < block.length) {
      const token = block[at++]!;
      const plain = length(token >> 4);
      if (plain > block.length - at || to + plain > end) throw this.refusal('has a damaged block');
      out.set(block.subarray(at, at + plain), to);
      at += plain;
      to += plain;
      if (at === block.length) return to;
      if (block.length - at < 2) throw this.refusal('has a damaged block');
      const back = block[at]! | (block[at + 1]! << 8);
      at += 2;
      const same = length(token & 15) + 4;
      if (back === 0 || back > to || to + same > end) throw this.refusal('has a damaged block');
      // One by one: it may repeat what it has just written.
      for (const until = to + same; to < until; to++) out[to] = out[to - back]!;
    }
    throw this.refusal('has a damaged block');
  }

  refusal(what: string): FormatError {
    return new FormatError(`${this.#name} ${what}`, {
      hint: 'it was cut off or changed: copy it again',
    });
  }
}
