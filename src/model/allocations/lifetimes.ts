import { firstFrom } from '../../base/search.ts';
import { ACTION, BLOCK_STATE, NO_ID } from './actions.ts';
import { type LifetimeEnds, LifetimeScan, NEVER_ENDED } from './lifetime-scan.ts';
import { type DeviceTrace, scanOf } from './trace.ts';

/**
 * Every allocation a trace knows of, from its alloc to the end of its memory. A ring buffer forgets how a trace began: what was
 * there before shows only when it is freed or when it is still there at the end.
 */
export interface Lifetimes extends LifetimeEnds {
  readonly count: number;
  /** The alloc event; -1: before the trace. */
  readonly start: Int32Array;
  /** Bytes requested. */
  readonly size: Float64Array;
  /** Who allocated it, where known: NO_ID for most of what was there before. */
  readonly stack: Uint32Array;
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

const known = new WeakMap<DeviceTrace, Lifetimes>();

export function lifetimes(trace: DeviceTrace): Lifetimes {
  let found = known.get(trace);
  if (!found) {
    found = followed(trace);
    known.set(trace, found);
  }
  return found;
}

function followed(trace: DeviceTrace): Lifetimes {
  const { events, actions, addresses, addressBook, sizes, stacks, tags, pools, blocks } = trace;
  const addressCount = addressBook.count;
  const scan =
    scanOf(trace)?.lifetimes ?? new LifetimeScan(trace.counts[ACTION.alloc]! + addressCount);
  scan.take({ actions, addresses, addressCount }, events);
  const { allocs } = scan;
  scan.makeRoom(allocs + addressCount);
  const { freeRequested, end } = scan.ends;
  // Memory that is never touched costs nothing, and no more can be there than addresses.
  const start = new Int32Array(allocs + addressCount);
  const size = new Float64Array(allocs + addressCount);
  const stack = new Uint32Array(allocs + addressCount);
  for (let event = 0, row = 0; event < events; event++) {
    if (actions[event] !== ACTION.alloc) continue;
    start[row] = event;
    size[row] = sizes[event]!;
    stack[row++] = stacks[event]!;
  }
  const blockOf = new Map<number, number>();
  /** Addresses of what was there before, from row `allocs` on. */
  const before: number[] = [];
  const last = lastBlocks(trace);
  for (let address = 0; address < addressCount; address++) {
    const block = last[address]!;
    const alive = scan.finish(address, block >= 0, events, (gone, asked, livesOn) => {
      const row = allocs + before.length;
      start[row] = -1;
      freeRequested[row] = asked;
      end[row] = gone;
      size[row] = livesOn ? blocks.requested[block]! : sizes[gone]!;
      stack[row] = livesOn ? blocks.stack[block]! : NO_ID;
      if (livesOn) blockOf.set(row, block);
      before.push(address);
    });
    if (alive >= 0) blockOf.set(alive, block);
  }
  // Neither freed nor there at the end: it counts as gone at once rather than for ever.
  if (scan.unmatchedAllocs > 0) {
    for (let row = 0; row < allocs; row++) if (end[row] === NEVER_ENDED) end[row] = start[row]!;
  }
  const count = allocs + before.length;
  const finalBlock = (row: number) => blockOf.get(row) ?? -1;
  const poolBefore = (row: number) => {
    const block = finalBlock(row);
    return block >= 0 ? trace.segments.pool[blocks.segment[block]!]! : pools[end[row]!]!;
  };
  return {
    count,
    allocs,
    start: start.subarray(0, count),
    freeRequested: freeRequested.subarray(0, count),
    end: end.subarray(0, count),
    size: size.subarray(0, count),
    stack: stack.subarray(0, count),
    unmatchedAllocs: scan.unmatchedAllocs,
    unmatchedFrees: scan.unmatchedFrees,
    addressOf: (row) => (row < allocs ? addresses[start[row]!]! : before[row - allocs]!),
    tagOf: (row) => (row < allocs ? tags[start[row]!]! : NO_ID),
    poolOf: (row) => (row < allocs ? pools[start[row]!]! : poolBefore(row)),
    blockOf: finalBlock,
  };
}

/** Such a figure of every row, for who needs them all. */
export const columnOf = ({ count }: Lifetimes, of: (row: number) => number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, row) => of(row));

/** By address: the block that holds memory after the last event; -1 for none. */
function lastBlocks({ addressBook, blocks }: DeviceTrace): Int32Array {
  const last = new Int32Array(addressBook.count).fill(-1);
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] !== BLOCK_STATE.inactive) last[blocks.address[block]!] = block;
  }
  return last;
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
