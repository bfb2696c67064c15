import { UserError } from '../../../base/errors.ts';
import { isSegmentAction, NO_ID } from '../../../model/allocations/actions.ts';
import { addressNumber } from '../../../model/allocations/address-book.ts';
import type { Lifetimes } from '../../../model/allocations/lifetimes.ts';
import { applySegment, finalRegions, Regions } from '../../../model/allocations/regions.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import type { Domain } from './heap.ts';

const MOST_DOMAINS = 2000;

/**
 * The pool and stream that each request belongs to. Newer traces name the pool of every event; in older ones only the segments at
 * the end do, so that a request belongs to the pool of the segment around its address.
 */
export class Domains {
  readonly list: Domain[] = [];
  readonly #keys = new Map<string, number>();
  /** By row of `pools`. */
  readonly #byPool: Int32Array;
  /** By row of the lifetimes, where segments must tell; null where events do. */
  readonly #poolOfRow: Uint32Array | null;
  readonly #recording: Recording;

  constructor(recording: Recording, trace: DeviceTrace) {
    this.#recording = recording;
    this.#byPool = new Int32Array(recording.table('pools').rows + 1).fill(-1);
    this.#poolOfRow = this.#needsSegments(trace) ? poolsBySegment(trace) : null;
  }

  /** The position of a pool's domain in the list. */
  of(pool: number): number {
    const at = pool === NO_ID ? this.#byPool.length - 1 : pool;
    const known = this.#byPool[at]!;
    if (known >= 0) return known;
    const found = this.#add(pool);
    this.#byPool[at] = found;
    return found;
  }

  ofRow(life: Lifetimes, row: number): number {
    const start = life.start[row]!;
    const told = this.#poolOfRow && start >= 0 ? this.#poolOfRow[start]! : NO_ID;
    return this.of(told === NO_ID ? life.poolOf(row) : told);
  }

  #add(pool: number): number {
    const { stream, owner, number } = this.#row(pool);
    const id = owner === 0 && number === 0 ? 0 : owner * 2 ** 20 + number;
    const key = `${id} ${stream}`;
    let at = this.#keys.get(key);
    if (at === undefined) {
      if (this.list.length === MOST_DOMAINS) {
        throw new UserError(`the trace has more than ${MOST_DOMAINS} streams and pools`);
      }
      at = this.list.push({ pool: id, stream }) - 1;
      this.#keys.set(key, at);
    }
    return at;
  }

  #row(pool: number): { stream: string; owner: number; number: number } {
    const table = this.#recording.table('pools');
    if (pool >= table.rows) return { stream: '0', owner: 0, number: 0 };
    const half = (name: string) => table.f64(name)[pool] || 0;
    return {
      stream: String(table.u64('stream')[pool]),
      owner: half('owner'),
      number: half('number'),
    };
  }

  /** Events without a pool, and a segment at the end that belongs to a private one. */
  #needsSegments({ pools, segments }: DeviceTrace): boolean {
    const owners = this.#recording.table('pools').f64('owner');
    const isPrivate = (pool: number) => this.#row(pool).owner + this.#row(pool).number > 0;
    if (!segments.pool.some(isPrivate)) return false;
    return pools.some((pool) => pool >= owners.length || Number.isNaN(owners[pool]!));
  }
}

/** By event: the pool of the segment that lay around the address, as far as the final ones tell. */
function poolsBySegment(trace: DeviceTrace): Uint32Array {
  const found = new Uint32Array(trace.events).fill(NO_ID);
  const regions = new Regions(finalRegions(trace));
  for (let event = trace.events - 1; event >= 0; event--) {
    if (isSegmentAction(trace.actions[event]!)) {
      applySegment(regions, trace, event, true);
      continue;
    }
    const address = addressNumber(trace.addressBook, trace.addresses[event]!);
    const region = regions.list[regions.indexOf(address)];
    if (region && address < region.address + region.size) found[event] = region.pool;
  }
  return found;
}
