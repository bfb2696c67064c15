import { NONE, STATE } from './blocks.ts';
import type { Heap, PoolList } from './heap.ts';
import { SMALL_SEGMENT } from './rounding.ts';

/** Addresses of a segment that grows: more than any device has, so that one is enough for a list. */
const ROOM = 2 ** 42;
/** Where such segments are put: apart from each other and from all others. */
const FIRST = 2 ** 50;

const pageOf = (heap: Heap, list: PoolList) =>
  list.isSmall ? SMALL_SEGMENT : heap.conf.largeSegmentSize;

/** A free block of at least that size at the lowest address where pages can make one; NONE: refused. */
export function growSegment(heap: Heap, number: number, size: number): number {
  const { blocks } = heap;
  const list = heap.lists[number]!;
  let found = roomFor(heap, number, size);
  if (blocks.state[found] === STATE.unmapped) {
    if (!map(heap, found, Math.min(blocks.size[found]!, size))) return NONE;
  }
  while (blocks.size[found]! < size) {
    const next = blocks.after[found]!;
    const rest = size - blocks.size[found]!;
    if (!map(heap, next, Math.min(rest, blocks.size[next]!))) return NONE;
    found = next;
  }
  list.free.delete(found);
  return found;
}

function roomFor(heap: Heap, number: number, size: number): number {
  const { blocks } = heap;
  const { unmapped } = heap.lists[number]!;
  for (let at = 0; at < unmapped.count; at++) {
    let block = unmapped.at(at);
    const before = blocks.before[block]!;
    if (before !== NONE && isOpen(heap, before)) block = before;
    let bytes = 0;
    for (let next = block; next !== NONE && bytes < size && isOpen(heap, next); ) {
      bytes += blocks.size[next]!;
      next = blocks.after[next]!;
    }
    if (bytes >= size) return block;
  }
  const base = FIRST + heap.grown++ * ROOM;
  const segment = blocks.add(number, base, ROOM, base);
  blocks.state[segment] = STATE.unmapped;
  unmapped.add(segment);
  return segment;
}

const isOpen = ({ blocks }: Heap, block: number) =>
  blocks.state[block] === STATE.free || blocks.state[block] === STATE.unmapped;

/** Puts memory behind the beginning of a block, by whole pages; false: there is none left. */
function map(heap: Heap, block: number, size: number): boolean {
  const { blocks } = heap;
  const list = heap.listOf(block);
  const page = pageOf(heap, list);
  const bytes = Math.ceil(size / page) * page;
  if (heap.limit?.by === 'device' && heap.refuses(bytes)) return false;
  list.unmapped.delete(block);
  if (bytes < blocks.size[block]!) {
    const rest = blocks.add(
      blocks.list[block]!,
      blocks.address[block]! + bytes,
      blocks.size[block]! - bytes,
      blocks.expandable[block]!,
    );
    blocks.state[rest] = STATE.unmapped;
    blocks.splice(rest, block, blocks.after[block]!);
    blocks.size[block] = bytes;
    list.unmapped.add(rest);
  }
  blocks.state[block] = STATE.free;
  heap.merge(block, blocks.before[block]!);
  heap.merge(block, blocks.after[block]!);
  heap.addFree(block);
  heap.reserve(bytes);
  return true;
}

/** Gives back the whole pages of a free block. */
export function unmap(heap: Heap, block: number): void {
  const { blocks } = heap;
  const list = heap.listOf(block);
  const page = pageOf(heap, list);
  const base = blocks.expandable[block]!;
  const from = blocks.address[block]!;
  const end = from + blocks.size[block]!;
  const first = base + Math.ceil((from - base) / page) * page;
  const last = base + Math.floor((end - base) / page) * page;
  if (first >= last) return;
  list.free.delete(block);
  if (first > from) addPart(heap, block, from, first - from, 'before');
  if (last < end) addPart(heap, block, last, end - last, 'after');
  blocks.address[block] = first;
  blocks.size[block] = last - first;
  blocks.state[block] = STATE.unmapped;
  heap.merge(block, blocks.before[block]!);
  heap.merge(block, blocks.after[block]!);
  list.unmapped.add(block);
  heap.reserve(first - last);
}

/** What is left of a block beside its whole pages stays free. */
function addPart(
  heap: Heap,
  block: number,
  address: number,
  size: number,
  side: 'before' | 'after',
) {
  const { blocks } = heap;
  const part = blocks.add(blocks.list[block]!, address, size, blocks.expandable[block]!);
  if (side === 'before') blocks.splice(part, blocks.before[block]!, block);
  else blocks.splice(part, block, blocks.after[block]!);
  heap.addFree(part);
}
