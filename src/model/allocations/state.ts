import { firstFrom } from '../../base/search.ts';
import { ACTION, isSegmentAction } from './actions.ts';
import { addressNumber } from './address-book.ts';
import { checkpointBefore } from './checkpoints.ts';
import { type Lifetimes, lifetimes } from './lifetimes.ts';
import { applySegment, type Region, Regions } from './regions.ts';
import type { DeviceTrace } from './trace.ts';

/** What a device's memory held after an event. */
export interface State {
  readonly event: number;
  /** Rows of the lifetimes that are live, by address. */
  readonly live: Uint32Array;
  readonly requestedBytes: number;
  readonly reservedBytes: number;
  readonly regions: readonly RegionState[];
}

/** One region with its blocks and the holes between them, by address. */
export interface RegionState extends Region {
  readonly blocks: readonly PlacedBlock[];
  readonly holes: readonly Hole[];
}

export interface PlacedBlock {
  /** Row of the lifetimes. */
  readonly row: number;
  readonly address: number;
  /** Bytes it takes up: as the snapshot says, or else what was requested, rounded up. */
  readonly size: number;
}

export interface Hole {
  readonly address: number;
  readonly size: number;
}

/** The allocator hands out multiples of this. */
const ROUNDING = 512;

/** The state after an event; -1: before the first. */
export function stateAt(trace: DeviceTrace, event: number): State {
  if (!(event >= -1 && event < trace.events)) {
    throw new RangeError(`no event ${event}: the trace has ${trace.events}`);
  }
  const lives = lifetimes(trace);
  const checkpoint = checkpointBefore(trace, event + 1);
  const byAddress = new Map<number, number>();
  for (const row of checkpoint.live) byAddress.set(lives.addressOf(row), row);
  const regions = new Regions(checkpoint.regions);
  let next = firstFrom(lives.start, checkpoint.before, lives.allocs);
  for (let at = checkpoint.before; at <= event; at++) {
    const action = trace.actions[at]!;
    if (action === ACTION.alloc) {
      // A block that is gone at once, as nothing ever frees it, was never there.
      if (lives.end[next]! > at) byAddress.set(trace.addresses[at]!, next);
      next++;
    } else if (action === ACTION.free_completed) byAddress.delete(trace.addresses[at]!);
    else if (isSegmentAction(action)) applySegment(regions, trace, at, false);
  }
  const live = Uint32Array.from(byAddress.values());
  const place = (row: number) => addressNumber(trace.addressBook, lives.addressOf(row));
  live.sort((a, b) => place(a) - place(b));
  return {
    event,
    live,
    requestedBytes: live.reduce((sum, row) => sum + lives.size[row]!, 0),
    reservedBytes: regions.list.reduce((sum, region) => sum + region.size, 0),
    regions: layout(trace, lives, live, regions.list),
  };
}

/** Puts live blocks, in the order of their addresses, into the regions that hold them. */
function layout(
  trace: DeviceTrace,
  lives: Lifetimes,
  live: Uint32Array,
  regions: readonly Region[],
): RegionState[] {
  let next = 0;
  const placed = (row: number): PlacedBlock => {
    const block = lives.blockOf(row);
    const size =
      block >= 0
        ? trace.blocks.size[block]!
        : Math.max(ROUNDING, Math.ceil(lives.size[row]! / ROUNDING) * ROUNDING);
    return { row, address: addressNumber(trace.addressBook, lives.addressOf(row)), size };
  };
  return regions.map((region) => {
    const end = region.address + region.size;
    const blocks: PlacedBlock[] = [];
    for (; next < live.length; next++) {
      const block = placed(live[next]!);
      if (block.address >= end) break;
      if (block.address >= region.address) blocks.push(block);
    }
    return { ...region, blocks, holes: holesOf(region, blocks) };
  });
}

function holesOf({ address, size }: Region, blocks: readonly PlacedBlock[]): Hole[] {
  const holes: Hole[] = [];
  let free = address;
  for (const block of [...blocks, { address: address + size, size: 0 }]) {
    if (block.address > free) holes.push({ address: free, size: block.address - free });
    free = Math.max(free, block.address + block.size);
  }
  return holes;
}
