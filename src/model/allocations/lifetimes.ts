import { firstFrom } from '../../base/search.ts';
import { ACTION, BLOCK_STATE, NO_ID } from './actions.ts';
import type { DeviceTrace } from './trace.ts';

/**
 * Every allocation a trace knows of, from its alloc to the end of its memory. Found by replaying
 * the trace **backward from the final state**: a ring buffer forgets how a trace began, and what
 * was there before shows only when it is freed or when it is still there at the end.
 */
export interface Lifetimes extends Columns {
  readonly count: number;
  /** Rows below this are the trace's own, in the order of their events; the rest were there before. */
  readonly allocs: number;
  /** Events that fit no block: signs of a trace with holes. */
  readonly unmatchedAllocs: number;
  readonly unmatchedFrees: number;
  /** What is asked of few rows is no column: its alloc event tells. */
  addressOf(row: number): number;
  /** Row of `tags`, or NO_ID. */
  tagOf(row: number): number;
  /** Row of `pools`, or NO_ID. */
  poolOf(row: number): number;
  /** Row of the trace's blocks for what is alive at the end; -1 for the rest. */
  blockOf(row: number): number;
}

/** A row for each allocation. */
interface Columns {
  /** The alloc event; -1: before the trace. */
  readonly start: Int32Array;
  /** The event that asked for the end; -1: none in the trace. */
  readonly freeRequested: Int32Array;
  /** The free_completed event, until which the memory counts; `events` when alive at the end. */
  readonly end: Int32Array;
  /** Bytes requested. */
  readonly size: Float64Array;
  /** Who allocated it, where known: NO_ID for most of what was there before. */
  readonly stack: Uint32Array;
}

const known = new WeakMap<DeviceTrace, Lifetimes>();

export function lifetimes(trace: DeviceTrace): Lifetimes {
  let found = known.get(trace);
  if (!found) {
    found = replay(trace);
    known.set(trace, found);
  }
  return found;
}

/** What is known, on the way back, of the block at each address: the end of its life. */
interface Ends {
  /** The event that ends it, `events` for what stays; -1: nothing lives there. */
  readonly end: Int32Array;
  readonly asked: Int32Array;
  readonly block: Int32Array;
}

function replay(trace: DeviceTrace): Lifetimes {
  const { events, actions, addresses, addressBook, sizes, stacks, tags, pools, blocks } = trace;
  const blockOf = new Map<number, number>();
  /** Addresses of what was there before, from row `allocs` on. */
  const before: number[] = [];
  const ends = endsAfter(trace);
  const allocs = trace.counts[ACTION.alloc]!;
  // Memory that is never touched costs nothing, and no more can be there than addresses.
  const own = columns(allocs + addressBook.count);
  let [row, unmatchedAllocs, unmatchedFrees] = [allocs, 0, 0];
  for (let event = events - 1; event >= 0; event--) {
    const action = actions[event]!;
    const address = addresses[event]!;
    if (action === ACTION.alloc) {
      row--;
      own.start[row] = event;
      own.size[row] = sizes[event]!;
      own.stack[row] = stacks[event]!;
      own.freeRequested[row] = ends.asked[address]!;
      if (ends.block[address]! >= 0) blockOf.set(row, ends.block[address]!);
      if (ends.end[address]! < 0) {
        // Neither freed nor there at the end: it counts as gone at once rather than for ever.
        own.end[row] = event;
        unmatchedAllocs++;
      } else own.end[row] = ends.end[address]!;
      clear(ends, address);
    } else if (action === ACTION.free_completed) {
      if (ends.end[address]! >= 0) unmatchedFrees++;
      ends.end[address] = event;
      ends.asked[address] = -1;
      ends.block[address] = -1;
    } else if (action === ACTION.free_requested) {
      if (ends.end[address]! < 0) unmatchedFrees++;
      else if (ends.asked[address]! < 0) ends.asked[address] = event;
    }
  }
  let count = allocs;
  for (let address = 0; address < addressBook.count; address++) {
    const end = ends.end[address]!;
    if (end < 0) continue;
    const block = ends.block[address]!;
    own.start[count] = -1;
    own.freeRequested[count] = ends.asked[address]!;
    own.end[count] = end;
    own.size[count] = block >= 0 ? blocks.requested[block]! : sizes[end]!;
    own.stack[count] = block >= 0 ? blocks.stack[block]! : NO_ID;
    if (block >= 0) blockOf.set(count, block);
    before.push(address);
    count++;
  }
  const { start, end } = own;
  const finalBlock = (row: number) => blockOf.get(row) ?? -1;
  const poolBefore = (row: number) => {
    const block = finalBlock(row);
    return block >= 0 ? trace.segments.pool[blocks.segment[block]!]! : pools[end[row]!]!;
  };
  return {
    count,
    allocs,
    ...firstRows(own, count),
    unmatchedAllocs,
    unmatchedFrees,
    addressOf: (row) => (row < allocs ? addresses[start[row]!]! : before[row - allocs]!),
    tagOf: (row) => (row < allocs ? tags[start[row]!]! : NO_ID),
    poolOf: (row) => (row < allocs ? pools[start[row]!]! : poolBefore(row)),
    blockOf: finalBlock,
  };
}

/** Such a figure of every row, for who needs them all. */
export const columnOf = ({ count }: Lifetimes, of: (row: number) => number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, row) => of(row));

/** The blocks that hold memory after the last event. */
function endsAfter({ events, addressBook, blocks }: DeviceTrace): Ends {
  const ends = {
    end: new Int32Array(addressBook.count).fill(-1),
    asked: new Int32Array(addressBook.count).fill(-1),
    block: new Int32Array(addressBook.count).fill(-1),
  };
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] === BLOCK_STATE.inactive) continue;
    ends.end[blocks.address[block]!] = events;
    ends.block[blocks.address[block]!] = block;
  }
  return ends;
}

function clear(ends: Ends, address: number): void {
  ends.end[address] = -1;
  ends.asked[address] = -1;
  ends.block[address] = -1;
}

function columns(rows: number): Columns {
  return {
    start: new Int32Array(rows),
    freeRequested: new Int32Array(rows),
    end: new Int32Array(rows),
    size: new Float64Array(rows),
    stack: new Uint32Array(rows),
  };
}

function firstRows(all: Columns, rows: number): Columns {
  return {
    start: all.start.subarray(0, rows),
    freeRequested: all.freeRequested.subarray(0, rows),
    end: all.end.subarray(0, rows),
    size: all.size.subarray(0, rows),
    stack: all.stack.subarray(0, rows),
  };
}

/** When the program let go of it: a stream may hold the memory a little longer. */
export function releasedAt(life: Lifetimes, row: number): number {
  const asked = life.freeRequested[row]!;
  return asked >= 0 ? asked : life.end[row]!;
}

/** The first of the trace's own allocations at or after an event. */
export function firstRowFrom({ start, allocs }: Lifetimes, event: number): number {
  return firstFrom(start, event, allocs);
}
