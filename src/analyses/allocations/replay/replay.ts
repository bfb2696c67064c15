import { allocate, free } from './allocator.ts';
import { NONE } from './blocks.ts';
import type { AllocatorConf } from './conf.ts';
import { DriverAddresses } from './driver-addresses.ts';
import { Heap, type Limit } from './heap.ts';
import { packStart, placeStart } from './place-start.ts';
import { OP } from './program.ts';
import { releaseCached } from './release.ts';
import { CurveKeeper, type ReplayCurve } from './replay-curve.ts';
import type { Requests } from './requests.ts';

/** What a program would have reserved. */
export interface Replayed {
  readonly reservedPeakBytes: number;
  /** The most in use at one moment, rounded by the allocator. */
  readonly activePeakBytes: number;
  readonly peakEvent: number;
  /** No block was ever larger, unless segments grow. */
  readonly largestSegmentBytes: number;
  readonly deviceAllocs: number;
  readonly deviceFrees: number;
  readonly retries: number;
  /** The event whose request found no memory; -1: there was too much before the trace; null: all found it. */
  readonly diesAt: number | null;
  /** Sizes of what was fetched from the driver, in order, where that was asked for. */
  readonly fetched: readonly number[] | null;
  /** What was reserved over the events, where that was asked for. */
  readonly curve: ReplayCurve | null;
  /** The least that a limit refused; Infinity: nothing. */
  readonly refusedBytes: number;
}

export interface ReplayOptions {
  readonly conf: AllocatorConf;
  readonly limit: Limit | null;
  /** Whether blocks from before the trace keep their place. */
  readonly start: 'placed' | 'packed';
  readonly keepFetched?: boolean;
  readonly keepCurve?: boolean;
}

const BEFORE = -1;

/** Replays a program's requests through the allocator's rules. */
export function replay(program: Requests, options: ReplayOptions): Replayed {
  const { events, ops, rows, life, domainOf, domains, trace } = program;
  const driver = new DriverAddresses(program.driver);
  const { conf, limit } = options;
  const curve = options.keepCurve ? new CurveKeeper(events) : null;
  const heap = new Heap(conf, limit, domains, driver, options.keepFetched ?? false, curve);
  /** By row: its block, or NONE. */
  const held = new Int32Array(life.count).fill(NONE);
  const pending = new Set<number>();
  const release = (row: number) => {
    const block = held[row]!;
    if (block === NONE) return;
    held[row] = NONE;
    free(heap, block);
  };
  const wait = () => {
    for (const row of pending) release(row);
    pending.clear();
  };
  const place = options.start === 'placed' ? placeStart : packStart;
  let diesAt: number | null = place(heap, program, held) ? null : BEFORE;
  let nextOom = 0;
  const lastOom = trace.ooms.at(-1)?.event ?? -1;
  for (let event = 0; event < events && diesAt !== BEFORE; event++) {
    const op = ops[event]!;
    if (op === OP.nothing) continue;
    heap.event = event;
    const row = rows[event]!;
    if (op === OP.allocate || op === OP.passing) {
      held[row] = allocate(heap, domainOf[row]!, life.size[row]!, wait);
      if (held[row] === NONE) {
        diesAt = event;
        break;
      }
      if (op === OP.passing) release(row);
    } else if (op === OP.free) {
      if (pending.size > 0) pending.delete(row);
      release(row);
    } else if (op === OP.letGo) pending.add(row);
    else if (op === OP.release) {
      wait();
      releaseCached(heap);
    } else if (op === OP.fail) {
      const { requested } = trace.ooms[nextOom++]!;
      const block = allocate(heap, program.oomDomains[nextOom - 1]!, requested, wait);
      if (block !== NONE) free(heap, block);
      else if (event === lastOom) diesAt = event;
    }
  }
  return {
    reservedPeakBytes: heap.peak.reserved,
    activePeakBytes: heap.activePeak,
    peakEvent: heap.peak.event,
    largestSegmentBytes: conf.expandableSegments ? Number.POSITIVE_INFINITY : heap.largestSegment,
    deviceAllocs: heap.counts.deviceAllocs,
    deviceFrees: heap.counts.deviceFrees,
    retries: heap.counts.retries,
    diesAt,
    fetched: heap.fetched,
    curve: curve?.upTo(diesAt ?? events - 1) ?? null,
    refusedBytes: heap.refused,
  };
}
