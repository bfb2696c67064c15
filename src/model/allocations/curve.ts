import { ACTION, ACTION_NAMES, type Action, BLOCK_STATE } from './actions.ts';
import { RunningBytes } from './running-bytes.ts';
import { type DeviceTrace, scanOf } from './trace.ts';

/** Bytes of one device over its events; the final state says how many there were at the start. */
export interface Summary {
  readonly startRequested: number;
  readonly endRequested: number;
  readonly peakRequested: number;
  /** The last event after which that much was live; -1: before the first event. */
  readonly peakEvent: number;
  readonly startReserved: number;
  readonly endReserved: number;
  readonly peakReserved: number;
  readonly peakReservedEvent: number;
  /** How often each action occurs; those that do not are left out. */
  readonly actions: Readonly<Partial<Record<Action, number>>>;
}

/** Values after each event. */
export interface Curve {
  readonly requested: Float64Array;
  readonly reserved: Float64Array;
}

/** What an event adds to the bytes requested (1), takes away (-1) or leaves (0), by action. */
const REQUESTED = signs({ alloc: 1, free_completed: -1 });
const RESERVED = signs({ segment_alloc: 1, segment_map: 1, segment_free: -1, segment_unmap: -1 });

function signs(of: Partial<Record<Action, number>>): Int8Array {
  const table = new Int8Array(256);
  for (const [name, sign] of Object.entries(of)) table[ACTION[name as Action]] = sign;
  return table;
}

export function summary(trace: DeviceTrace): Summary {
  const { events, actions, counts, segmentEvents, sizes } = trace;
  const end = finalBytes(trace);
  const running = scanOf(trace)?.bytes ?? new RunningBytes();
  running.take(actions, sizes, events);
  const startRequested = end.requested - running.now;
  let { reserved } = end;
  let [peakReserved, peakReservedEvent] = [reserved, events - 1];
  for (const event of segmentEvents.toReversed()) {
    reserved -= RESERVED[actions[event]!]! * sizes[event]!;
    if (reserved > peakReserved) {
      peakReserved = reserved;
      peakReservedEvent = event - 1;
    }
  }
  return {
    startRequested,
    endRequested: end.requested,
    peakRequested: startRequested + running.peak,
    peakEvent: running.peakEvent,
    startReserved: reserved,
    endReserved: end.reserved,
    peakReserved,
    peakReservedEvent,
    actions: Object.fromEntries(
      ACTION_NAMES.filter((name) => counts[ACTION[name]]! > 0).map((name) => [
        name,
        counts[ACTION[name]]!,
      ]),
    ),
  };
}

/** Sixteen bytes an event: for charts and analyses that look at every one of them. */
export function curve(trace: DeviceTrace): Curve {
  const { events, actions, sizes } = trace;
  const curves = { requested: new Float64Array(events), reserved: new Float64Array(events) };
  let { requested, reserved } = finalBytes(trace);
  for (let event = events - 1; event >= 0; event--) {
    curves.requested[event] = requested;
    curves.reserved[event] = reserved;
    requested -= REQUESTED[actions[event]!]! * sizes[event]!;
    reserved -= RESERVED[actions[event]!]! * sizes[event]!;
  }
  return curves;
}

function finalBytes({ segments, blocks }: DeviceTrace): { requested: number; reserved: number } {
  let requested = 0;
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] !== BLOCK_STATE.inactive) requested += blocks.requested[block]!;
  }
  return { requested, reserved: segments.size.reduce((sum, size) => sum + size, 0) };
}
