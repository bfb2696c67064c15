import { curve, summary } from '../../../model/allocations/curve.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import { stretchOf } from '../replay/replay-curve.ts';

/** What the recorded run did over its events, in stretches like those of a replay. */
export interface RecordedCurve {
  readonly stretch: number;
  /** The most in each stretch, its beginning included. */
  readonly reserved: Float64Array;
  /** Bytes that the program had asked for. */
  readonly inUse: Float64Array;
  /** Requests that failed in each. */
  readonly failed: Uint32Array;
}

export function recordedCurve(trace: DeviceTrace): RecordedCurve {
  const stretch = stretchOf(trace.events);
  const { startReserved, startRequested } = summary(trace);
  const each = curve(trace);
  const failed = new Uint32Array(Math.max(1, Math.ceil(trace.events / stretch)));
  for (const { event } of trace.ooms) failed[Math.floor(event / stretch)]!++;
  return {
    stretch,
    reserved: mostOfEach(each.reserved, startReserved, stretch),
    inUse: mostOfEach(each.requested, startRequested, stretch),
    failed,
  };
}

function mostOfEach(values: Float64Array, before: number, stretch: number): Float64Array {
  const most = new Float64Array(Math.max(1, Math.ceil(values.length / stretch)));
  for (let at = 0; at < most.length; at++) {
    let high = at === 0 ? before : values[at * stretch - 1]!;
    const end = Math.min((at + 1) * stretch, values.length);
    for (let event = at * stretch; event < end; event++) high = Math.max(high, values[event]!);
    most[at] = high;
  }
  return most;
}
