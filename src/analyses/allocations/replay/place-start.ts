import { allocate } from './allocator.ts';
import { NONE, STATE } from './blocks.ts';
import type { Heap } from './heap.ts';
import { releaseCached } from './release.ts';
import type { Requests } from './requests.ts';
import { LEAST, rounded, SMALL } from './rounding.ts';
import type { StartSegment } from './start-layout.ts';

/** Addresses that a segment may still grow into. */
const ROOM = 2 ** 42;

/** Puts what was there before the trace where it lay. `held` is told each row's block; false: it is more than the limit. */
export function placeStart(heap: Heap, { start, life }: Requests, held: Int32Array): boolean {
  const ends = new Map<number, { last: number; base: number }>();
  for (const segment of start.segments) {
    const number = 2 * segment.domain + (segment.isSmall ? 0 : 1);
    const { expandable } = segment;
    const grown = expandable ? ends.get(number) : undefined;
    const base = expandable ? (grown?.base ?? segment.address) : Number.NaN;
    let before = NONE;
    if (grown) before = addGap(heap, number, grown.last, segment.address, base);
    const last = placeSegment(heap, segment, { number, base, before }, life.size, held);
    if (expandable) ends.set(number, { last, base });
    heap.reserved += segment.size;
    heap.largestSegment = Math.max(heap.largestSegment, segment.size);
  }
  for (const [number, { last, base }] of ends) addGap(heap, number, last, base + ROOM, base);
  if (heap.limit && heap.reserved > heap.limit.bytes) {
    const before = heap.reserved;
    releaseCached(heap);
    heap.noteRetry();
    heap.refused = heap.reserved;
    // With room for all of it nothing would have been given back; where the rest is too much, room for that is enough to go on.
    heap.partsAt = heap.reserved > heap.limit.bytes ? heap.reserved : before;
  }
  heap.peak = { reserved: heap.reserved, event: -1 };
  heap.curve?.begin(heap.reserved);
  heap.activePeak = heap.active;
  return !heap.limit || heap.reserved <= heap.limit.bytes;
}

function placeSegment(
  heap: Heap,
  segment: StartSegment,
  at: { number: number; base: number; before: number },
  requested: Float64Array,
  held: Int32Array,
): number {
  const { blocks } = heap;
  let [address, before] = [segment.address, at.before];
  const add = (size: number, row: number) => {
    const block = blocks.add(at.number, address, size, at.base);
    blocks.splice(block, before, NONE);
    before = block;
    address += size;
    if (row >= 0) {
      blocks.state[block] = STATE.used;
      heap.active += size;
      held[row] = block;
    } else heap.addFree(block);
  };
  const end = segment.address + segment.size;
  for (const [index, block] of segment.blocks.entries()) {
    if (block.address < address) continue;
    if (block.address > address) add(block.address - address, -1);
    const next = segment.blocks[index + 1]?.address ?? end;
    const room = next - address;
    const size = block.size || rounded(heap.conf, requested[block.row]!);
    // Of large blocks nothing is split off that is not larger than a small block.
    const least = segment.isSmall || segment.expandable ? LEAST : SMALL + 1;
    add(room - size < least ? room : size, block.row);
  }
  if (address < end) add(end - address, -1);
  return before;
}

/** Addresses without memory behind them, up to where the next pages begin. */
function addGap(heap: Heap, number: number, last: number, to: number, base: number): number {
  const { blocks } = heap;
  const from = blocks.address[last]! + blocks.size[last]!;
  if (to <= from) return last;
  const gap = blocks.add(number, from, to - from, base);
  blocks.state[gap] = STATE.unmapped;
  blocks.splice(gap, last, NONE);
  heap.lists[number]!.unmapped.add(gap);
  return gap;
}

/**
 * Allocates anew what was there before the trace, in the order of addresses: with other segments than those of the recorded run it
 * would have lain elsewhere, and nobody saw where.
 */
export function packStart(
  heap: Heap,
  { start, life, domainOf }: Requests,
  held: Int32Array,
): boolean {
  for (const segment of start.segments) {
    for (const { row } of segment.blocks) {
      held[row] = allocate(heap, domainOf[row]!, life.size[row]!, () => {});
      if (held[row] === NONE) return false;
    }
  }
  heap.forgetCounts();
  return true;
}
