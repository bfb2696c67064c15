import { FormatError } from '../../base/errors.ts';
import { doubled, moreSlots } from '../../base/typed-arrays.ts';

/** Texts longer than this are no part of any data that we read. */
export const MAX_TEXT = 16 << 20;
/** All different texts of a file together. */
const MAX_ALL = 256 << 20;
/** A table that is half empty needs a handful; more is an attack on the hash. */
const MAX_PROBES = 4096;

/**
 * Every different text of a pickle once, as bytes with a number: a snapshot repeats a few hundred
 * texts millions of times, so most are never decoded.
 */
export class Texts {
  count = 0;
  #bytes = new Uint8Array(1 << 16);
  #starts = new Uint32Array(1 << 12);
  #hashes = new Uint32Array(1 << 12);
  /** Open addressing: id + 1, 0 when free. */
  #slots = new Uint32Array(1 << 13);
  #end = 0;
  readonly #seed = (Math.random() * 2 ** 32) >>> 0;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  intern(source: Uint8Array, from: number, to: number): number {
    const hash = hashOf(source, from, to, this.#seed);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let probes = 0; ; probes++, slot = (slot + 1) & mask) {
      const held = slots[slot]!;
      if (held === 0) break;
      if (this.#hashes[held - 1] === hash && this.#same(held - 1, source, from, to))
        return held - 1;
      if (probes > MAX_PROBES) throw new FormatError('texts that were made to slow a reader down');
    }
    return this.#add(source, from, to, hash, slot);
  }

  internText(text: string): number {
    const bytes = new TextEncoder().encode(text);
    return this.intern(bytes, 0, bytes.length);
  }

  text(id: number): string {
    return this.#decoder.decode(this.#bytes.subarray(this.#starts[id]!, this.#starts[id + 1]!));
  }

  #same(id: number, source: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[id]!;
    if (this.#starts[id + 1]! - start !== to - from) return false;
    const bytes = this.#bytes;
    for (let i = from, j = start; i < to; i++, j++) if (source[i] !== bytes[j]) return false;
    return true;
  }

  #add(source: Uint8Array, from: number, to: number, hash: number, slot: number): number {
    const id = this.count++;
    const end = this.#end + to - from;
    if (end > MAX_ALL) throw new FormatError('holds more different texts than any snapshot');
    while (end > this.#bytes.length) this.#bytes = doubled(this.#bytes);
    if (id + 2 > this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#hashes = doubled(this.#hashes);
    }
    this.#bytes.set(source.subarray(from, to), this.#end);
    this.#end = end;
    this.#starts[id + 1] = end;
    this.#hashes[id] = hash;
    this.#slots[slot] = id + 1;
    if (this.count * 2 > this.#slots.length) {
      this.#slots = moreSlots(this.#slots, this.count, (known) => this.#hashes[known]!);
    }
    return id;
  }
}

function hashOf(source: Uint8Array, from: number, to: number, seed: number): number {
  let hash = seed ^ (to - from);
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ source[i]!, 0x9e3779b1) ^ (hash >>> 15);
  return (hash ^ (hash >>> 13)) >>> 0;
}
