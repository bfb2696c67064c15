import type { Lifetimes } from '../../model/allocations/lifetimes.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import { byStackOrder } from '../../model/memory-kinds.ts';
import type { Recording } from '../../model/recording.ts';
import { CATEGORIES } from '../allocations/evidence/reasons.ts';
import { reasonColumn } from '../allocations/evidence/row-reasons.ts';
import { surveyOf } from '../allocations/evidence/survey.ts';
import type { PanelBand } from './panel.ts';

const ORDER = [...CATEGORIES].sort(byStackOrder);

/** Bytes of each category after some events. */
export function categoryBands(
  recording: Recording,
  trace: DeviceTrace,
  events: Uint32Array,
): PanelBand[] {
  const known = surveyOf(recording, trace);
  const { of, reasons } = reasonColumn(known);
  const codes = reasons.map(({ category }) => CATEGORIES.indexOf(category));
  const codeOf = (row: number) => codes[of[row]!]!;
  const all = bytesAfter(known.life, trace.events, events, CATEGORIES.length, codeOf);
  return ORDER.flatMap((category) => {
    const bytes = all[CATEGORIES.indexOf(category)]!;
    return bytes.some((value) => value > 0) ? [{ key: category, label: category, bytes }] : [];
  });
}

/** Bytes of each of several parts after some events (rising), in one pass over the allocations; `partOf`: -1 for none. */
export function bytesAfter(
  { start, end, size, count }: Lifetimes,
  ofTrace: number,
  events: Uint32Array,
  parts: number,
  partOf: (row: number) => number,
): Float64Array[] {
  const next = nextPick(events, ofTrace);
  const changes = Array.from({ length: parts }, () => new Float64Array(events.length + 1));
  for (let row = 0; row < count; row++) {
    const part = changes[partOf(row)];
    if (!part) continue;
    part[next[Math.max(0, start[row]!)]!]! += size[row]!;
    part[next[end[row]!]!]! -= size[row]!;
  }
  return changes.map((part) => runningSum(part).subarray(0, events.length));
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
