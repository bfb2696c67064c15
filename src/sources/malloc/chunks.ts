import type { Pages, ProcessMemory } from './process-memory.ts';

/** Memory that glibc's malloc hands out in chunks, one beside the other from the first to the end. */
export interface Heap {
  /** Of the pages that belong to it. */
  readonly start: number;
  readonly end: number;
  /** Where its first chunk is. */
  readonly first: number;
  /** That which grows by brk. None of its chunks bears the mark of another arena; of others' those that are free do not, either. */
  readonly isMain: boolean;
}

/** Bytes, as `mallinfo2` counts them. */
export interface HeapState {
  readonly inUse: number;
  readonly free: number;
  /** So much of what is free is in memory, or swapped out: the rest was given back, or never touched. */
  readonly freeHeld: number;
}

/** The lowest bits of a chunk's size. */
const PREVIOUS_IN_USE = 1;
const MAPPED = 2;
const OTHER_ARENA = 4;
const FLAGS = 7;
const ALIGNMENT = 16;
const SMALLEST = 32;
/** A chunk's header: the size of the one before, if that is free, and its own. */
export const HEADER = 16;
/** Where an arena goes on elsewhere, two chunks that are none mark the end of this part. */
const FENCE = 16;

/** Read at once. */
const WINDOW = 1 << 17;
const window = Buffer.alloc(WINDOW);
const words = new Uint32Array(window.buffer, window.byteOffset, WINDOW / 4);
const UPPER = 2 ** 32;

/**
 * Goes from chunk to chunk. A chunk is free when the one behind it says so, and that then has its size, too; the last one is
 * free as a whole. Every step is checked, as the process runs on meanwhile: null where it does not add up, or its headers are not
 * in memory. Small chunks that each thread keeps for itself look as if in use (`mallinfo2` says the same).
 */
export function walkHeap(memory: ProcessMemory, heap: Heap, pages: Pages): HeapState | null {
  const { start, end, first, isMain } = heap;
  const { pageSize } = memory;
  let [from, to] = [0, 0];
  let [free, gone, before] = [0, 0, 0];
  const addFree = (at: number, size: number) => {
    free += size;
    const inner = Math.ceil((at + SMALLEST - start) / pageSize);
    const behind = Math.floor((at + size - start) / pageSize);
    if (behind > inner) gone += (behind - inner - pages.kept(inner, behind)) * pageSize;
  };
  const done = (): HeapState => ({ inUse: end - start - free, free, freeHeld: free - gone });
  for (let at = first; ; ) {
    if (at + HEADER > end) return null;
    if (at < from || at + HEADER > to) {
      const page = Math.floor((at - start) / pageSize);
      from = start + page * pageSize;
      const there = pages.presentFrom(page) * pageSize;
      // A header may lie across two pages.
      if (from + there < at + HEADER) return null;
      const length = Math.min(there, WINDOW);
      if (memory.read(window, length, from) !== length) return null;
      to = from + length;
    }
    const word = (at - from) >>> 2;
    const flags = words[word + 2]! & FLAGS;
    const size = words[word + 2]! - flags + words[word + 3]! * UPPER;
    if ((flags & PREVIOUS_IN_USE) === 0) {
      if (before === 0 || words[word]! + words[word + 1]! * UPPER !== before) return null;
      addFree(at - before, before);
    }
    if (size <= FENCE && at + 2 * FENCE >= end) return before > 0 ? done() : null;
    const fits = size >= SMALLEST && size % ALIGNMENT === 0 && at + size <= end;
    if (!fits || (flags & (isMain ? MAPPED | OTHER_ARENA : MAPPED)) !== 0) return null;
    if (at + size === end) {
      addFree(at, size);
      return done();
    }
    before = size;
    at += size;
  }
}
