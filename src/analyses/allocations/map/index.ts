import { type DeviceId, deviceId } from '../../../model/allocations/device-name.ts';
import { columnOf, type Lifetimes } from '../../../model/allocations/lifetimes.ts';
import {
  frameOf,
  poolsOf,
  poolText,
  stackTree,
  tagText,
} from '../../../model/allocations/names.ts';
import { frameText } from '../../../model/allocations/stack-path.ts';
import { type DeviceTrace, isTimed } from '../../../model/allocations/trace.ts';
import { Columns, type TypedArray } from '../../../model/columns.ts';
import type { Recording } from '../../../model/recording.ts';
import { type RowReason, reasonColumn } from '../evidence/row-reasons.ts';
import { surveyOf } from '../evidence/survey.ts';
import type { StepMoment } from '../moment.ts';
import { momentInRun } from '../run-step.ts';
import { type AddressAxis, type AddressStretch, addressAxis, offsetOf } from './address-axis.ts';
import { type Reserved, reservedPieces } from './reserved-pieces.ts';

/** What a map of allocations must know besides its columns. */
export interface MapHeader {
  readonly type: 'map';
  readonly device: DeviceId;
  readonly events: number;
  /** As many as the trace has: more than `events` where some are left out (column `number` then). */
  readonly allEvents: number;
  /** The number that event 0 has in the file. */
  readonly firstEvent: number;
  /** Rows below this began inside the trace, in order; the rest were there before. */
  readonly allocs: number;
  /** Of the recording: seconds are counted from the first event. */
  readonly timed: boolean;
  readonly peakEvent: number;
  readonly peakRequestedBytes: number;
  /** What the program was doing then. */
  readonly peakMoment: StepMoment;
  /** Height of the map by address; 0 where addresses say nothing. */
  readonly heightBytes: number;
  readonly stretches: readonly AddressStretch[];
  readonly reasons: readonly RowReason[];
  /** By the numbers of column `pool`; the last stands for none. */
  readonly pools: readonly string[];
  readonly frames: readonly string[];
  readonly tags: readonly string[];
  /** What was merged to make it small; null: nothing. */
  readonly leftOut: LeftOut | null;
}

export interface LeftOut {
  /** Allocations that are only there as part of a sum. */
  readonly allocations: number;
  /** All there are. */
  readonly of: number;
  /** Stretches of time, in each of which they are summed up. */
  readonly stretches: number;
}

/**
 * Every allocation as a rectangle: events `start` to `end`, at `offset[place]`, `size` bytes high.
 * `reason`, `stack`, `tag`, `pool` say what it is; `stackParent` and `stackFrame` are the tree of stacks.
 * `run`: whose steps are counted, where the trace lies beside the recording of one.
 */
export function allocationMap(
  recording: Recording,
  trace: DeviceTrace,
  run = recording,
): Columns<MapHeader> {
  const known = surveyOf(recording, trace);
  const { life, bytes } = known;
  const reasons = reasonColumn(known);
  const reserved = reservedPieces(trace);
  const place = addressAxis(trace, largestAt(trace, life), reserved);
  const tree = stackTree(recording);
  const pools = poolsOf(recording).map(poolText);
  const tagCount = recording.table('tags').rows;
  // A snapshot without any event still has a moment to look at.
  const events = Math.max(1, trace.events);
  const header: MapHeader = {
    type: 'map',
    device: deviceId(trace.device),
    events,
    allEvents: events,
    firstEvent: trace.firstEvent,
    allocs: life.allocs,
    timed: isTimed(trace),
    peakEvent: bytes.peakEvent,
    peakRequestedBytes: bytes.peakRequested,
    peakMoment: momentInRun(run, known, bytes.peakEvent),
    heightBytes: trace.addressBook.count > 1 ? place.bytes : 0,
    stretches: place.stretches,
    reasons: reasons.reasons,
    pools: [...pools, 'no pool'],
    frames: Array.from({ length: recording.table('frames').rows }, (_, row) =>
      frameText(frameOf(recording, row)),
    ),
    tags: Array.from({ length: tagCount }, (_, tag) => tagText(recording, tag)),
    leftOut: null,
  };
  return new Columns(header, {
    start: life.start,
    end: trace.events > 0 ? life.end : life.end.map(() => events),
    size: narrow(life.size.length, (row) => life.size[row]!),
    place: columnOf(life, life.addressOf),
    offset: place.offset,
    reason: reasons.of,
    stack: life.stack,
    pool: poolNumbers(life, pools.length),
    ...(tagCount > 0 ? { tag: columnOf(life, life.tagOf) } : {}),
    stackParent: tree.parent,
    stackFrame: tree.frame,
    ...reservedColumns(reserved, place),
  });
}

/** Where the events stand on the clock: µs since the first, never falling. */
export function mapTimes({ times, events }: DeviceTrace): Columns<{ type: 'times' }> {
  let last = 0;
  const micros = narrow(Math.max(1, events), (event) => {
    // Threads may write a moment late.
    last = Math.max(event === 0 ? 0 : last, (times[event]! - times[0]!) / 1e3 || 0);
    return last;
  });
  return new Columns({ type: 'times' }, { micros });
}

function largestAt(trace: DeviceTrace, { count, addressOf, size }: Lifetimes): Float64Array {
  const largest = new Float64Array(trace.addressBook.count);
  for (let row = 0; row < count; row++) {
    const address = addressOf(row);
    if (size[row]! > largest[address]!) largest[address] = size[row]!;
  }
  return largest;
}

function poolNumbers({ count, poolOf }: Lifetimes, none: number): Uint16Array {
  const numbers = new Uint16Array(count);
  for (let row = 0; row < count; row++) numbers[row] = Math.min(poolOf(row), none);
  return numbers;
}

function reservedColumns(
  reserved: Reserved,
  { stretches }: AddressAxis,
): Record<string, TypedArray> {
  return {
    reservedStart: Int32Array.from(reserved.start),
    reservedEnd: Int32Array.from(reserved.end),
    reservedOffset: Float64Array.from(reserved.address, (at) => offsetOf(stretches, at)),
    reservedSize: Float64Array.from(reserved.size),
  };
}

/** Whole numbers of 32 bits where they are enough: half as many bytes, and no more than these are ever taken. `valueAt` is asked from 0 on. */
function narrow(count: number, valueAt: (index: number) => number): Float64Array | Uint32Array {
  const whole = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const value = valueAt(i);
    whole[i] = value;
    if (whole[i] !== value) return Float64Array.from({ length: count }, (_none, at) => valueAt(at));
  }
  return whole;
}
