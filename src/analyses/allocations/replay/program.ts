import { UserError } from '../../../base/errors.ts';
import { ACTION, NO_ID } from '../../../model/allocations/actions.ts';
import { addressNumber } from '../../../model/allocations/address-book.ts';
import { type Summary, summary } from '../../../model/allocations/curve.ts';
import { type Lifetimes, lifetimes } from '../../../model/allocations/lifetimes.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { Domains } from './domains.ts';
import { type DriverHistory, driverHistory, type RecordedSegment } from './driver-history.ts';
import type { Domain, Limit } from './heap.ts';
import { releases } from './releases.ts';
import { type StartLayout, startLayout } from './start-layout.ts';

/** What an event asks of the allocator. */
export const OP = {
  nothing: 0,
  allocate: 1,
  free: 2,
  /** The program let go of it; other streams still use it. */
  letGo: 3,
  /** empty_cache() */
  release: 4,
  /** A request that failed in the recorded run. */
  fail: 5,
  /** Allocated, and never freed nor there at the end: gone at once. */
  passing: 6,
} as const;

/** A program as its allocator saw it: the same requests whatever the settings. */
export interface Program {
  readonly trace: DeviceTrace;
  readonly events: number;
  /** Codes of OP, by event. */
  readonly ops: Uint8Array;
  /** Row of the lifetimes, by event. */
  readonly rows: Uint32Array;
  readonly life: Lifetimes;
  /** By row: position in `domains`. */
  readonly domainOf: Uint16Array;
  readonly domains: readonly Domain[];
  /** What was there before the first event. */
  readonly start: StartLayout;
  readonly driver: DriverHistory;
  /** Of the recorded run. */
  readonly bytes: Summary;
  /** How often caches were given back by what is replayed as a call of the program. */
  readonly releases: number;
  /** By failed request: position in `domains`. */
  readonly oomDomains: readonly number[];
  /** What the recorded run could reserve, where a failed request shows it. */
  readonly limit: Limit | null;
}

/** More than any device holds: a trace with such a request is not one of torch. */
const MOST_BYTES = 2 ** 42;

export function programOf(recording: Recording, trace: DeviceTrace): Program {
  const life = lifetimes(trace);
  const { events } = trace;
  checkSizes(life);
  const domains = new Domains(recording, trace);
  const ops = new Uint8Array(events);
  const rows = new Uint32Array(events).fill(NO_ID);
  const domainOf = new Uint16Array(life.count);
  for (let row = 0; row < life.count; row++) domainOf[row] = domains.ofRow(life, row);
  placeOps(life, events, ops, rows);
  for (const { event } of trace.ooms) ops[event] = OP.fail;
  const bytes = summary(trace);
  const start = startLayout(trace, life, domains, bytes);
  const { calls, limit } = releases(trace, start.reserved);
  for (const event of calls) ops[event] = OP.release;
  const driver = driverHistory(
    fetchedSegments(trace),
    start.segments.map(({ address }) => address),
  );
  const oomDomains = trace.ooms.map(({ event }) => domains.of(trace.pools[event]!));
  return {
    trace,
    events,
    ops,
    rows,
    life,
    domainOf,
    domains: domains.list,
    start,
    bytes,
    driver,
    releases: calls.length,
    oomDomains,
    limit,
  };
}

function fetchedSegments(trace: DeviceTrace): RecordedSegment[] {
  const { actions, addresses, addressBook, sizes, segmentEvents } = trace;
  const fetches = (event: number) =>
    actions[event] === ACTION.segment_alloc || actions[event] === ACTION.segment_map;
  return segmentEvents.filter(fetches).map((event) => {
    const address = addressNumber(addressBook, addresses[event]!);
    return { event, address, size: sizes[event]! };
  });
}

function checkSizes({ size, count }: Lifetimes): void {
  for (let row = 0; row < count; row++) {
    const bytes = size[row]!;
    if (bytes >= 0 && bytes <= MOST_BYTES) continue;
    throw new UserError(`the trace has a request of ${bytes} bytes: it cannot be replayed`);
  }
}

function placeOps(life: Lifetimes, events: number, ops: Uint8Array, rows: Uint32Array): void {
  const { start: starts, end: ends, freeRequested, count } = life;
  for (let row = 0; row < count; row++) {
    const start = starts[row]!;
    const end = ends[row]!;
    const asked = freeRequested[row]!;
    if (start >= 0) {
      ops[start] = start === end ? OP.passing : OP.allocate;
      rows[start] = row;
    }
    if (end < events && end !== start) {
      ops[end] = OP.free;
      rows[end] = row;
    }
    // Nearly all are freed in the event after: nothing can happen between.
    if (asked >= 0 && end !== asked + 1 && end !== start) {
      ops[asked] = OP.letGo;
      rows[asked] = row;
    }
  }
}
