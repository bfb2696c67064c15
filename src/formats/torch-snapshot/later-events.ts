import { doubled } from '../../base/typed-arrays.ts';
import { ACTION, BLOCK_STATE } from '../../model/allocations/actions.ts';
import { AddressIds } from '../../model/allocations/address-book.ts';

/** The events of a device that are loaded, of all it has: `from` is the first, `to` is not. */
export interface EventRange {
  readonly from: number;
  readonly to: number;
}

/** A change of what the allocator holds: segments or pages taken or given back. */
export interface SegmentEvent {
  readonly taken: boolean;
  readonly low: number;
  readonly high: number;
  readonly size: number;
  readonly pool: number;
  readonly expandable: boolean;
}

/**
 * What comes after the range of events that is wanted. To go back from the final state to the
 * range's end, the first event at each address is enough: a block that is freed next was there, one
 * that is allocated next was not. So memory grows with the addresses, and not with the events.
 */
export class LaterEvents {
  readonly addresses = new AddressIds();
  /** Segment changes, which are few, in their order. */
  readonly changes: SegmentEvent[] = [];
  /** How many events there are in all. */
  events = 0;
  /** By address: the state of its block at the range's end, or GONE. */
  #states = new Uint8Array(1024);
  #sizes = new Float64Array(1024);

  add(action: number, low: number, high: number, size: number, pool: number): void {
    if (action >= ACTION.segment_alloc && action <= ACTION.segment_unmap) {
      const taken = action === ACTION.segment_alloc || action === ACTION.segment_map;
      const expandable = action === ACTION.segment_map || action === ACTION.segment_unmap;
      this.changes.push({ taken, low, high, size, pool, expandable });
    }
    if (action > ACTION.free_completed) return;
    const known = this.addresses.count;
    const id = this.addresses.intern(low, high);
    if (id < known) return;
    if (id === this.#states.length) {
      this.#states = doubled(this.#states);
      this.#sizes = doubled(this.#sizes);
    }
    this.#states[id] = STATE[action]!;
    this.#sizes[id] = size;
  }

  /** Blocks that were there at the range's end and were freed after it. */
  *blocks(): Generator<{ low: number; high: number; size: number; state: number }> {
    for (let id = 0; id < this.addresses.count; id++) {
      const state = this.#states[id]!;
      if (state === GONE) continue;
      const { low, high } = this.addresses;
      yield { low: low[id]!, high: high[id]!, size: this.#sizes[id]!, state };
    }
  }

  /** Whether anything happened to the block at an address after the range. */
  has(low: number, high: number): boolean {
    return this.addresses.find(low, high) >= 0;
  }
}

const GONE = 255;
/** By the action that comes first: alloc, free_requested, free_completed. */
const STATE = [GONE, BLOCK_STATE.allocated, BLOCK_STATE.pending];
