import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';

/** AT_PAGESZ of <elf.h>. */
const PAGE_SIZE_ENTRY = 6;
const WORD = process.arch === 'arm' || process.arch === 'ia32' ? 4 : 8;
const POSSIBLE = [4096, 16_384, 65_536];

/**
 * Bytes in a page of this kernel, from what it hands every program at its start: pairs of a number
 * and a value. NaN where it cannot be read.
 */
export function pageSize(proc: string): number {
  let pairs: Buffer;
  try {
    pairs = readFileSync(`${proc}/self/auxv`);
  } catch {
    return Number.NaN;
  }
  const isBig = endianness() === 'BE';
  // The lower half of a word is enough for both.
  const wordAt = (at: number) =>
    isBig ? pairs.readUInt32BE(at + WORD - 4) : pairs.readUInt32LE(at);
  for (let at = 0; at + 2 * WORD <= pairs.length; at += 2 * WORD) {
    if (wordAt(at) === PAGE_SIZE_ENTRY) return wordAt(at + WORD);
  }
  return Number.NaN;
}

/**
 * The size that makes so many pages so many bytes; NaN where none does. They are read from two files, and a process
 * that has just begun grows many times over in between: only what agrees to the byte tells anything.
 */
export function pageSizeOf(bytes: number, pages: number): number {
  return POSSIBLE.find((size) => size * pages === bytes) ?? Number.NaN;
}
