import { formatBytes } from '../../base/bytes.ts';
import { curve, summary } from '../../model/allocations/curve.ts';
import { deviceId, deviceName } from '../../model/allocations/device-name.ts';
import { lifetimes } from '../../model/allocations/lifetimes.ts';
import { type DeviceTrace, isTimed } from '../../model/allocations/trace.ts';
import type { WriteOptions } from '../format.ts';
import { micros, type TraceEvent, type Track } from './event.ts';
import { extremes } from './extremes.ts';

/** Bytes of one device over its events: requested, reserved and, where that is known, by category. */
export function allocationTrack(
  trace: DeviceTrace,
  pid: number,
  categoryOf: WriteOptions['categoryOf'],
): Track {
  const device = deviceName(deviceId(trace.device));
  const begin = summary(trace);
  const { requested, reserved } = curve(trace);
  const shares = categoryOf ? categoryShares(trace, categoryOf(trace)) : null;
  const values = new Float64Array(2 + (shares?.bytes.length ?? 0));
  const kept = extremes(trace.events, (event) => {
    values[0] = requested[event]!;
    values[1] = reserved[event]!;
    if (shares) {
      shares.step(event);
      values.set(shares.bytes, 2);
    }
    return values;
  });
  const events: TraceEvent[] = [];
  const counter = changes((name, args, ts) => {
    events.push({ ph: 'C', name: `${device} ${name}`, pid, tid: 0, ts, args });
  });
  const show = (ts: number, bytes: number, held: number) => {
    counter('requested', { bytes }, ts);
    // Not every source tells it.
    if (!Number.isNaN(held)) counter('reserved', { bytes: held }, ts);
    if (shares) counter('by category', shares.named(), ts);
  };
  const ts = clock(trace);
  shares?.reset();
  if (trace.events > 0) show(ts(0), begin.startRequested, begin.startReserved);
  let next = 0;
  for (const event of kept) {
    for (; next <= event; next++) shares?.step(next);
    show(ts(event), requested[event]!, reserved[event]!);
  }
  for (const oom of trace.ooms) {
    const name = `out of memory: ${formatBytes(oom.requested)} requested`;
    events.push({ ph: 'i', name, pid, tid: 0, ts: ts(oom.event), s: 't' });
  }
  return { events, points: trace.events, leftOut: trace.events - kept.length };
}

/** Without times an event takes a microsecond: their order is all there is. */
function clock(trace: DeviceTrace): (event: number) => number {
  return isTimed(trace) ? (event) => micros(trace.times[event]!) : (event) => event;
}

/** Hands on only what differs from what was last said under a name. */
function changes(say: (name: string, args: Record<string, number>, ts: number) => void) {
  const last = new Map<string, string>();
  return (name: string, args: Record<string, number>, ts: number) => {
    const values = Object.values(args).join();
    if (last.get(name) === values) return;
    last.set(name, values);
    say(name, args, ts);
  };
}

/** Bytes by category, moved on event by event. */
function categoryShares(trace: DeviceTrace, categoryOf: (row: number) => string) {
  const { count, start, end, size } = lifetimes(trace);
  const names: string[] = [];
  const codes = new Map<string, number>();
  const begins = new Uint8Array(trace.events);
  const ends = new Uint8Array(trace.events);
  const before: number[] = [];
  for (let row = 0; row < count; row++) {
    if (end[row] === start[row]) continue;
    const name = categoryOf(row);
    let code = codes.get(name);
    if (code === undefined) {
      code = names.push(name);
      codes.set(name, code);
      before.push(0);
    }
    if (start[row]! >= 0) begins[start[row]!] = code;
    else before[code - 1]! += size[row]!;
    if (end[row]! < trace.events) ends[end[row]!] = code;
  }
  const bytes = Float64Array.from(before);
  return {
    bytes,
    reset: () => bytes.set(before),
    step(event: number) {
      const [begun, ended] = [begins[event]!, ends[event]!];
      if (begun > 0) bytes[begun - 1]! += trace.sizes[event]!;
      if (ended > 0) bytes[ended - 1]! -= trace.sizes[event]!;
    },
    named: () => Object.fromEntries(names.map((name, i) => [name, bytes[i]!])),
  };
}
