import { closeSync, openSync, readSync } from 'node:fs';

/** Bits 63 and 62 of an entry in pagemap, in its upper word: in memory; swapped out. */
const PRESENT = 0x8000_0000;
const SWAPPED = 0x4000_0000;
const ENTRY = 8;

/** Which pages of a stretch of memory are there. */
export interface Pages {
  /** How many from this one on are in memory, one after the other. */
  presentFrom(page: number): number;
  /** Of the pages from one to another, those in memory or swapped out. */
  kept(from: number, to: number): number;
}

/**
 * The memory of another process, as it is while that runs on. Only pages that are in memory are ever read: one that was
 * never touched would be mapped by reading it, and one that is swapped out brought back.
 */
export class ProcessMemory {
  readonly #memory: number;
  readonly #pagemap: number;
  readonly #pageSize: number;

  /** Throws where it may not be read, or the process has ended. */
  constructor(proc: string, pid: number, pageSize: number) {
    this.#pageSize = pageSize;
    this.#memory = openSync(`${proc}/${pid}/mem`, 'r');
    try {
      this.#pagemap = openSync(`${proc}/${pid}/pagemap`, 'r');
    } catch (error) {
      closeSync(this.#memory);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#memory);
    closeSync(this.#pagemap);
  }

  get pageSize(): number {
    return this.#pageSize;
  }

  /** Bytes read; throws where nothing is mapped. The caller knows that the pages are there. */
  read(into: Buffer, length: number, address: number): number {
    return readSync(this.#memory, into, 0, length, address);
  }

  pages(start: number, end: number): Pages {
    const count = (end - start) / this.#pageSize;
    const bytes = new ArrayBuffer(count * ENTRY);
    const from = (start / this.#pageSize) * ENTRY;
    const got = readSync(this.#pagemap, new Uint8Array(bytes), 0, count * ENTRY, from);
    if (got !== count * ENTRY) throw new Error('pagemap ends early');
    const words = new Uint32Array(bytes);
    const stateOf = (page: number) => words[2 * page + 1]!;
    const sums = new Uint32Array(count + 1);
    for (let page = 0; page < count; page++) {
      sums[page + 1] = sums[page]! + ((stateOf(page) & (PRESENT | SWAPPED)) === 0 ? 0 : 1);
    }
    return {
      presentFrom(page) {
        let end = page;
        while (end < count && (stateOf(end) & PRESENT) !== 0) end++;
        return end - page;
      },
      kept: (from, to) => sums[to]! - sums[from]!,
    };
  }
}
