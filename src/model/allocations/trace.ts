import type { Recording } from '../recording.ts';
import type { Table } from '../table.ts';
import type { AddressBook, AddressIds } from './address-book.ts';
import { AddressScan } from './address-scan.ts';
import type { TraceScan } from './trace-scan.ts';

/**
 * What one device's allocator did, as columns over the recording's tables: nothing is copied but
 * addresses, which become ids. An event is known by its position.
 */
export interface DeviceTrace {
  /** HOST_DEVICE for pinned memory of the host. */
  readonly device: number;
  readonly events: number;
  /** Where event 0 stands in the file that was imported: not 0 when only a range was loaded. */
  readonly firstEvent: number;
  /** ns since the recording's start; NaN where the source has no times. */
  readonly times: Float64Array;
  /** Codes of ACTION. */
  readonly actions: Uint8Array;
  /** How often each of them occurs, by code. */
  readonly counts: Uint32Array;
  /** The events that changed what the allocator has reserved: few of all. */
  readonly segmentEvents: readonly number[];
  /** Bytes requested; of segment events, bytes of the segment. */
  readonly sizes: Float64Array;
  /** Row of `stacks`: the node of the innermost frame; NO_ID or EMPTY_STACK. */
  readonly stacks: Uint32Array;
  /** Row of `tags`, or NO_ID. */
  readonly tags: Uint32Array;
  /** Row of `pools`, or NO_ID. */
  readonly pools: Uint32Array;
  /** Ids of the address book; without meaning for an oom. */
  readonly addresses: Uint32Array;
  readonly addressBook: AddressBook;
  /** What the allocator held after the last event. */
  readonly segments: FinalSegments;
  readonly blocks: FinalBlocks;
  readonly ooms: readonly OomEvent[];
}

/** Some sources tell the order of events only. */
export const isTimed = ({ times }: DeviceTrace) => times.length > 0 && !Number.isNaN(times[0]!);

export interface OomEvent {
  readonly event: number;
  readonly requested: number;
  /** What the device had free, as its driver said. */
  readonly deviceFree: number;
}

const known = new WeakMap<Recording, readonly DeviceTrace[]>();
const begun = new WeakMap<Recording, TraceScan>();
const scans = new WeakMap<DeviceTrace, TraceScan>();

/** What was begun while the trace was read, for who goes on from there. */
export const scanOf = (trace: DeviceTrace): TraceScan | undefined => scans.get(trace);

/** Takes a scan of the recording's events that was begun while they were read; for those of one device. */
export function goOnFrom(recording: Recording, scan: TraceScan): void {
  begun.set(recording, scan);
}

/** The traces of all devices that have events or segments, by device. */
export function traces(recording: Recording): readonly DeviceTrace[] {
  let found = known.get(recording);
  if (!found) {
    const spans = spansOf(recording.table('allocations').u32('device'));
    const devices = new Set([...spans.keys(), ...recording.table('segments').u32('device')]);
    found = [...devices]
      .sort((a, b) => a - b)
      .map((device) => deviceTrace(recording, device, spans.get(device)));
    known.set(recording, found);
  }
  return found;
}

/** Where a device's rows are: from its first to its last, and how many of those are its own. */
interface Span {
  start: number;
  end: number;
  own: number;
}

function spansOf(devices: Uint32Array): Map<number, Span> {
  const spans = new Map<number, Span>();
  for (let row = 0; row < devices.length; ) {
    const start = row;
    const device = devices[row]!;
    while (row < devices.length && devices[row] === device) row++;
    const span = spans.get(device) ?? { start, end: row, own: 0 };
    span.end = row;
    span.own += row - start;
    spans.set(device, span);
  }
  return spans;
}

function deviceTrace(
  recording: Recording,
  device: number,
  span: Span = { start: 0, end: 0, own: 0 },
): DeviceTrace {
  const table = recording.table('allocations');
  const rows = rowsOf(table.u32('device'), device, span);
  const pick = <T extends Column>(column: T): T => taken(column, rows);
  const actions = pick(table.u8('action'));
  const sizes = pick(table.f64('size'));
  const halves = addressHalves(table, rows);
  const isAll = actions.length === table.rows;
  const whole = isAll ? begun.get(recording) : undefined;
  const scan = whole?.addresses ?? new AddressScan();
  scan.take(actions, halves, actions.length);
  const { book, counts, segmentEvents } = scan;
  const addresses = scan.addresses.subarray(0, actions.length);
  const ooms = scan.oomEvents.map((event) => ({
    event,
    requested: sizes[event]!,
    deviceFree: halves[2 * event + 1]! * 2 ** 32 + halves[2 * event]!,
  }));
  const trace: DeviceTrace = {
    device,
    events: addresses.length,
    firstEvent: recording.run.allocator?.range?.from ?? 0,
    times: pick(table.f64('time')),
    actions,
    counts,
    segmentEvents,
    sizes,
    stacks: pick(table.u32('stack')),
    tags: pick(table.u32('tag')),
    pools: pick(table.u32('pool')),
    addresses,
    ...finalState(recording, device, book),
    addressBook: book,
    ooms,
  };
  if (whole) scans.set(trace, whole);
  return trace;
}

type Column = Float64Array | Uint32Array | Uint8Array | BigUint64Array;

/** Rows of a device: a stretch of the table, as importers write it, or a list. */
type Rows = { readonly start: number; readonly end: number } | Uint32Array;

function rowsOf(devices: Uint32Array, device: number, { start, end, own }: Span): Rows {
  if (own === end - start) return { start, end };
  const rows = new Uint32Array(own);
  for (let row = start, at = 0; row < end; row++) if (devices[row] === device) rows[at++] = row;
  return rows;
}

function taken<T extends Column>(column: T, rows: Rows): T {
  if (!(rows instanceof Uint32Array)) return column.subarray(rows.start, rows.end) as T;
  const picked = new (column.constructor as new (length: number) => T)(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = column[rows[i]!]!;
  return picked;
}

/** Addresses as pairs of 32-bit halves, the lower first. */
function addressHalves(table: Table, rows: Rows): Uint32Array {
  return halvesOf(taken(table.u64('address'), rows));
}

function halvesOf(addresses: BigUint64Array): Uint32Array {
  return new Uint32Array(addresses.buffer, addresses.byteOffset, 2 * addresses.length);
}

/** The segments of one device after its last event, as columns. */
export interface FinalSegments {
  readonly count: number;
  /** Ids of the trace's address book. */
  readonly address: Uint32Array;
  readonly size: Float64Array;
  /** Row of `pools`, or NO_ID. */
  readonly pool: Uint32Array;
  /** Codes of SEGMENT_KIND. */
  readonly kind: Uint8Array;
  readonly expandable: Uint8Array;
  readonly stack: Uint32Array;
}

/** The blocks of those segments. */
export interface FinalBlocks {
  readonly count: number;
  /** Position in the device's segments. */
  readonly segment: Uint32Array;
  readonly address: Uint32Array;
  /** Bytes set aside, rounded up by the allocator. */
  readonly size: Float64Array;
  /** Bytes asked for. */
  readonly requested: Float64Array;
  /** Codes of BLOCK_STATE. */
  readonly state: Uint8Array;
  readonly stack: Uint32Array;
  /** Codes of OWNER. */
  readonly owner: Uint8Array;
}

function finalState(
  recording: Recording,
  device: number,
  book: AddressIds,
): { segments: FinalSegments; blocks: FinalBlocks } {
  const segments = recording.table('segments');
  const blocks = recording.table('blocks');
  const owners = segments.u32('device');
  const position = new Map<number, number>();
  for (const [row, owner] of owners.entries()) {
    if (owner === device) position.set(row, position.size);
  }
  const segmentRows = Uint32Array.from(position.keys());
  const blockRows = Uint32Array.from(blocks.u32('segment').keys()).filter((row) =>
    position.has(blocks.u32('segment')[row]!),
  );
  const address = (column: BigUint64Array, rows: Uint32Array) =>
    rows.map((row) => {
      const value = column[row]!;
      return book.intern(Number(value & 0xffffffffn), Number(value >> 32n));
    });
  return {
    segments: {
      count: segmentRows.length,
      address: address(segments.u64('address'), segmentRows),
      size: Float64Array.from(segmentRows, (row) => segments.f64('size')[row]!),
      pool: segmentRows.map((row) => segments.u32('pool')[row]!),
      kind: Uint8Array.from(segmentRows, (row) => segments.u8('kind')[row]!),
      expandable: Uint8Array.from(segmentRows, (row) => segments.u8('expandable')[row]!),
      stack: segmentRows.map((row) => segments.u32('stack')[row]!),
    },
    blocks: {
      count: blockRows.length,
      segment: blockRows.map((row) => position.get(blocks.u32('segment')[row]!)!),
      address: address(blocks.u64('address'), blockRows),
      size: Float64Array.from(blockRows, (row) => blocks.f64('size')[row]!),
      requested: Float64Array.from(blockRows, (row) => blocks.f64('requested')[row]!),
      state: Uint8Array.from(blockRows, (row) => blocks.u8('state')[row]!),
      stack: blockRows.map((row) => blocks.u32('stack')[row]!),
      owner: Uint8Array.from(blockRows, (row) => blocks.u8('owner')[row]!),
    },
  };
}
