import { GiB, MiB } from '../../base/bytes.ts';
import type { Mapping } from '../mapping.ts';
import { HEADER, type Heap, walkHeap } from './chunks.ts';
import type { ProcessMemory } from './process-memory.ts';

/** Arenas beside the first one lie in parts that begin at multiples of this (HEAP_MAX_SIZE of 64-bit glibc). */
const ARENA_ALIGNMENT = 64 * MiB;
/** `ar_ptr`, `prev`, `size`, `mprotect_size`: how each such part begins. */
const HEAP_INFO = 32;
/** The whole of it, in glibc before 2.35 and since. */
const HEAP_INFO_SIZES = [32, 48];
/** An arena's own state comes before its first chunk: of glibc 2.26 to 2.41 it has 2200 bytes, others were and may be smaller or larger. */
const STATE_SIZES = { least: 2048, most: 2560 };
const ALIGNMENT = 16;
/** Of mappings larger than this only the start is looked at: runtimes set aside terabytes. */
const LARGEST = 4 * GiB;

const header = Buffer.alloc(HEAP_INFO);
const WRITABLE = 'rw-p';

/** The heap that grows by brk; null where the process has none. `startBrk`: where the kernel let it begin. */
export function mainHeap(mappings: readonly Mapping[], startBrk: number): Heap | null {
  const own = mappings.filter(({ path, flags }) => path === '[heap]' && flags === WRITABLE);
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last) return null;
  const at = Math.max(first.start, startBrk);
  return {
    start: first.start,
    end: last.end,
    first: Math.ceil(at / ALIGNMENT) * ALIGNMENT,
    isMain: true,
  };
}

/** The parts of all other arenas; null where one cannot be made out. */
export function arenaHeaps(memory: ProcessMemory, mappings: readonly Mapping[]): Heap[] | null {
  const found = new Map<number, Part>();
  for (const { start, end, flags, path } of mappings) {
    if (flags !== WRITABLE || path !== '') continue;
    const last = end - start > LARGEST ? start : end - HEAP_INFO;
    for (let at = aligned(start); at <= last; at += ARENA_ALIGNMENT) {
      const part = partAt(memory, at, end);
      if (part) found.set(at, part);
    }
  }
  const heaps: Heap[] = [];
  for (const [start, { arena, size }] of found) {
    const home = Math.floor(arena / ARENA_ALIGNMENT) * ARENA_ALIGNMENT;
    const infoSize = arena - home;
    // What looks like a part of an arena but belongs to none is somebody else's.
    if (found.get(home)?.arena !== arena || !HEAP_INFO_SIZES.includes(infoSize)) continue;
    const end = start + size;
    const first = home === start ? afterState(memory, arena, end) : start + infoSize;
    if (first === null) return null;
    heaps.push({ start, end, first, isMain: false });
  }
  return heaps;
}

const aligned = (address: number) => Math.ceil(address / ARENA_ALIGNMENT) * ARENA_ALIGNMENT;

interface Part {
  readonly arena: number;
  readonly size: number;
}

function partAt(memory: ProcessMemory, at: number, end: number): Part | null {
  if (memory.pages(at, at + memory.pageSize).presentFrom(0) === 0) return null;
  if (memory.read(header, HEAP_INFO, at) !== HEAP_INFO) return null;
  const [arena, , size, writable] = [0, 8, 16, 24].map((offset) =>
    Number(header.readBigUInt64LE(offset)),
  ) as [number, number, number, number];
  const isWhole = size > 0 && size % memory.pageSize === 0 && size <= writable;
  return isWhole && at + size <= end && writable <= ARENA_ALIGNMENT ? { arena, size } : null;
}

/** By the first size at which all chunks up to the end add up. */
function afterState(memory: ProcessMemory, arena: number, end: number): number | null {
  const start = arena - (arena % memory.pageSize);
  const pages = memory.pages(start, end);
  for (let size = STATE_SIZES.least; size <= STATE_SIZES.most; size += 8) {
    const first = arena + size;
    if (first % ALIGNMENT !== 0 || first + HEADER > end) continue;
    if (walkHeap(memory, { start, end, first, isMain: false }, pages)) return first;
  }
  return null;
}

/** Blocks that malloc has mapped one by one (`hblkhd` of `mallinfo2`), each beginning with a header of its own. */
export function mappedBlocks(memory: ProcessMemory, mappings: readonly Mapping[]): number {
  let bytes = 0;
  for (const { start, end, flags, path } of mappings) {
    if (flags !== WRITABLE || path !== '' || end - start > LARGEST) continue;
    for (let at = start; at < end; ) {
      const size = mappedBlock(memory, at, end);
      if (size === 0) break;
      bytes += size;
      at += size;
    }
  }
  return bytes;
}

function mappedBlock(memory: ProcessMemory, at: number, end: number): number {
  if (memory.pages(at, at + memory.pageSize).presentFrom(0) === 0) return 0;
  if (memory.read(header, HEADER, at) !== HEADER) return 0;
  const [before, word] = [header.readBigUInt64LE(0), Number(header.readBigUInt64LE(8))];
  const size = word - 2;
  const isBlock = before === 0n && size > 0 && size % memory.pageSize === 0;
  return isBlock && at + size <= end ? size : 0;
}
