import { countBefore } from '../../../base/search.ts';
import type { Columns, TypedArray } from '../../../model/columns.ts';
import { CATEGORIES } from '../evidence/reasons.ts';
import type { MapHeader } from './index.ts';

/** How many stretches of time merged allocations are summed up in. */
export const STRETCHES = 2048;

/** The columns that decide what is kept. */
export class Whole {
  readonly events: number;
  readonly rows: number;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly size: TypedArray;
  readonly reason: Uint8Array;
  readonly header: MapHeader;

  constructor({ header, arrays }: Columns<MapHeader>) {
    this.header = header;
    this.events = header.events;
    this.start = arrays.start as Int32Array;
    this.end = arrays.end as Int32Array;
    this.size = arrays.size!;
    this.reason = arrays.reason as Uint8Array;
    this.rows = this.start.length;
  }
}

/** 1 for each row that stays as it is. */
export function keptRows({ rows, start, end, size, header }: Whole, most: number): Uint8Array {
  const weights = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    weights[row] = size[row]! * (end[row]! - Math.max(0, start[row]!));
  }
  const least = weights.toSorted()[rows - most]!;
  const kept = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    const atPeak = start[row]! <= header.peakEvent && end[row]! > header.peakEvent;
    if (atPeak || weights[row]! > least) kept[row] = 1;
  }
  return kept;
}

/** Blocks that stand for many: a stretch of events, their bytes, their category's number. */
export interface Merged {
  readonly from: number[];
  readonly to: number[];
  readonly bytes: number[];
  readonly category: number[];
}

export function mergedRows(whole: Whole, kept: Uint8Array): Merged {
  const { rows, start, end, size, reason, header } = whole;
  const tops = topsOf(whole);
  const kindOf = Uint8Array.from(header.reasons, ({ category }) => CATEGORIES.indexOf(category));
  const changes = CATEGORIES.map(() => new Float64Array(tops.length + 1));
  const firstTop = (event: number) => countBefore(tops.length, (i) => tops[i]! < event);
  for (let row = 0; row < rows; row++) {
    if (kept[row] === 1) continue;
    const [from, to] = [firstTop(start[row]!), firstTop(end[row]!)];
    if (from === to) continue;
    const of = changes[kindOf[reason[row]!]!]!;
    of[from]! += size[row]!;
    of[to]! -= size[row]!;
  }
  const merged: Merged = { from: [], to: [], bytes: [], category: [] };
  for (const [category, change] of changes.entries()) {
    let bytes = 0;
    for (let stretch = 0; stretch < tops.length; stretch++) {
      bytes += change[stretch]!;
      if (bytes <= 0) continue;
      merged.from.push(stretchStart(whole.events, stretch));
      merged.to.push(stretchStart(whole.events, stretch + 1));
      merged.bytes.push(bytes);
      merged.category.push(category);
    }
  }
  return merged;
}

const stretchStart = (events: number, stretch: number) =>
  Math.floor((stretch * events) / STRETCHES);

/** In each stretch, the event after which most was live. */
function topsOf({ events, rows, start, end, size }: Whole): Int32Array {
  const bytes = new Float64Array(events + 1);
  for (let row = 0; row < rows; row++) {
    bytes[Math.max(0, start[row]!)]! += size[row]!;
    bytes[end[row]!]! -= size[row]!;
  }
  for (let event = 1; event < events; event++) bytes[event]! += bytes[event - 1]!;
  return Int32Array.from({ length: STRETCHES }, (_, stretch) => {
    let top = stretchStart(events, stretch);
    for (let event = top; event < stretchStart(events, stretch + 1); event++) {
      if (bytes[event]! > bytes[top]!) top = event;
    }
    return top;
  });
}
