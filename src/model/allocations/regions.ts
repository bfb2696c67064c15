import { countBefore } from '../../base/search.ts';
import { ACTION } from './actions.ts';
import { addressNumber } from './address-book.ts';
import type { DeviceTrace } from './trace.ts';

/** A stretch of a device's memory that an allocator holds: a segment, or mapped pages of one. */
export interface Region {
  readonly address: number;
  readonly size: number;
  /** Row of `pools`, or NO_ID. */
  readonly pool: number;
  readonly expandable: boolean;
}

/** Regions by address, none of which overlap; changed in place. */
export class Regions {
  readonly list: Region[];

  constructor(list: readonly Region[]) {
    const plain = list.map(({ address, size, pool, expandable }) => ({
      address,
      size,
      pool,
      expandable,
    }));
    this.list = plain.sort((a, b) => a.address - b.address);
  }

  add(region: Region): void {
    const at = this.#after(region.address);
    this.list.splice(at, 0, region);
    if (!region.expandable) return;
    this.#join(at);
    this.#join(at - 1);
  }

  /**
   * Pages that touch are one region: each segment reserves room for all the device has, so those
   * of two segments do not. Events and segments may name the same pool in two ways.
   */
  #join(at: number): void {
    const [a, b] = [this.list[at], this.list[at + 1]];
    if (!a?.expandable || !b?.expandable) return;
    if (a.address + a.size !== b.address) return;
    this.list.splice(at, 2, { ...a, size: a.size + b.size });
  }

  /** Takes a range away: a whole segment, or pages out of one or more regions. */
  remove({ address, size }: Region): void {
    const end = address + size;
    let at = Math.max(0, this.#after(address) - 1);
    while (at < this.list.length && this.list[at]!.address < end) {
      const region = this.list[at]!;
      const last = region.address + region.size;
      if (last <= address) {
        at++;
        continue;
      }
      const rest: Region[] = [];
      if (region.address < address) rest.push({ ...region, size: address - region.address });
      if (last > end) rest.push({ ...region, address: end, size: last - end });
      this.list.splice(at, 1, ...rest);
      at += rest.length;
    }
  }

  /** The position of the region that an address lies in, or of the one before it; -1: none. */
  indexOf(address: number): number {
    return this.#after(address) - 1;
  }

  /** The position of the first region that begins after an address. */
  #after(address: number): number {
    return countBefore(this.list.length, (at) => this.list[at]!.address <= address);
  }
}

/** Does a segment event again, or undoes it. */
export function applySegment(
  regions: Regions,
  trace: DeviceTrace,
  event: number,
  undo: boolean,
): void {
  const action = trace.actions[event]!;
  const taken = action === ACTION.segment_alloc || action === ACTION.segment_map;
  const region = {
    address: addressNumber(trace.addressBook, trace.addresses[event]!),
    size: trace.sizes[event]!,
    pool: trace.pools[event]!,
    expandable: action === ACTION.segment_map || action === ACTION.segment_unmap,
  };
  if (taken !== undo) regions.add(region);
  else regions.remove(region);
}

/** What the allocator held after the last event. */
export function finalRegions({ segments, addressBook }: DeviceTrace): Region[] {
  return Array.from(segments.address, (address, row) => ({
    address: addressNumber(addressBook, address),
    size: segments.size[row]!,
    pool: segments.pool[row]!,
    expandable: segments.expandable[row] === 1,
  }));
}
