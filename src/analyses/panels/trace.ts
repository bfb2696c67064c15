import { SECOND_NS } from '../../base/time.ts';
import { curve as bytesOf } from '../../model/allocations/curve.ts';
import { deviceId, deviceName } from '../../model/allocations/device-name.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import { byStackOrder } from '../../model/memory-kinds.ts';
import type { Recording } from '../../model/recording.ts';
import { CATEGORIES } from '../allocations/evidence/reasons.ts';
import { reasonColumn } from '../allocations/evidence/row-reasons.ts';
import { surveyOf } from '../allocations/evidence/survey.ts';
import type { Clock, PanelBand } from './panel.ts';
import { panelCurve } from './panel-curve.ts';
import type { PanelSource } from './source.ts';

/** An allocator's bytes, stacked by what they are; null where its events have no times. */
export function traceSource(
  recording: Recording,
  trace: DeviceTrace,
  clock: Clock,
  zero: number,
): PanelSource | null {
  if (trace.events === 0) return null;
  const x = clock === 'event' ? null : seconds(trace, zero);
  if (clock === 'time' && !x) return null;
  const { requested, reserved } = bytesOf(trace);
  const id = deviceId(trace.device);
  const total = panelCurve(x, requested);
  const knowsReserved = reserved.some((bytes) => bytes > 0);
  return {
    id: `trace${id}`,
    title: `Allocated on ${deviceName(id)}`,
    steps: true,
    limit: null,
    lines: knowsReserved
      ? [{ series: 'reserved', label: 'reserved by the allocator', curve: panelCurve(x, reserved) }]
      : [],
    stack: { total, bands: (rows) => bandsAt(recording, trace, rows) },
  };
}

const ORDER = [...CATEGORIES].sort(byStackOrder);

/** Bytes of each category after some events, in one pass over the allocations. */
function bandsAt(recording: Recording, trace: DeviceTrace, rows: Uint32Array): PanelBand[] {
  const known = surveyOf(recording, trace);
  const { start, end, size, count } = known.life;
  const { of, reasons } = reasonColumn(known);
  const codes = reasons.map(({ category }) => CATEGORIES.indexOf(category));
  const next = nextPick(rows, trace.events);
  const changes = CATEGORIES.map(() => new Float64Array(rows.length + 1));
  for (let row = 0; row < count; row++) {
    const band = changes[codes[of[row]!]!]!;
    band[next[Math.max(0, start[row]!)]!]! += size[row]!;
    band[next[end[row]!]!]! -= size[row]!;
  }
  return ORDER.flatMap((category) => {
    const bytes = runningSum(changes[CATEGORIES.indexOf(category)]!).subarray(0, rows.length);
    return bytes.some((value) => value > 0) ? [{ key: category, label: category, bytes }] : [];
  });
}

/** For each event, the first of the picked ones that is not before it. */
function nextPick(rows: Uint32Array, events: number): Uint32Array {
  const next = new Uint32Array(events + 1);
  let pick = rows.length;
  for (let event = events; event >= 0; event--) {
    while (pick > 0 && rows[pick - 1]! >= event) pick--;
    next[event] = pick;
  }
  return next;
}

function runningSum(changes: Float64Array): Float64Array {
  for (let i = 1; i < changes.length; i++) changes[i]! += changes[i - 1]!;
  return changes;
}

/** Rising: streams of one device may write events a little out of order. */
function seconds({ times }: DeviceTrace, zero: number): Float64Array | null {
  if (Number.isNaN(times[0]!)) return null;
  let last = Number.NEGATIVE_INFINITY;
  return times.map((ns) => {
    if (ns > last) last = ns;
    return (last - zero) / SECOND_NS;
  });
}
