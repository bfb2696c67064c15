import { countBefore } from '../../../base/search.ts';
import { Columns, type TypedArray } from '../../../model/columns.ts';
import { CATEGORIES } from '../evidence/reasons.ts';
import type { RowReason } from '../evidence/row-reasons.ts';
import type { MapHeader } from './index.ts';

/**
 * A map that fits into a file one sends around. The largest allocations by bytes times events, and
 * all that were live at the peak, are kept as they are; the rest becomes one block for each
 * category in each of so many stretches of time, as high as it was when most was live in that
 * stretch. Events that nothing begins or ends with are left out: column `number` has their numbers.
 */
export const MOST_ROWS = 80_000;
const MERGED = 'many small or short ones, merged to keep this file small';

export interface Reduced {
  readonly map: Columns<MapHeader>;
  readonly times: Columns<{ type: 'times' }>;
}

/** The same where it is small enough as it is. */
export function reducedMap(
  map: Columns<MapHeader>,
  times: Columns<{ type: 'times' }>,
  most = MOST_ROWS,
): Reduced {
  const whole = new Whole(map);
  if (whole.rows <= most) return { map, times };
  const kept = keptRows(whole, most);
  const merged = mergedRows(whole, kept);
  return assembled(map, times, whole, kept, merged);
}

function assembled(
  map: Columns<MapHeader>,
  times: Columns<{ type: 'times' }>,
  whole: Whole,
  kept: Uint8Array,
  merged: Merged,
): Reduced {
  const { header, arrays } = map;
  const rows = rowOrder(whole, kept, merged);
  const kinds = CATEGORIES.filter((_, i) => merged.category.includes(i));
  const reasons: RowReason[] = [
    ...header.reasons,
    ...kinds.map((category) => ({ category, text: MERGED, confidence: 0, part: null })),
  ];
  const pick = (own: (row: number) => number, other: (i: number) => number) =>
    rows.map((row) => (row < whole.rows ? own(row) : other(row - whole.rows)));
  const reserved = ['reservedStart', 'reservedEnd'].map((name) => arrays[name] as Int32Array);
  const starts = pick(
    (row) => whole.start[row]!,
    (i) => merged.from[i]!,
  );
  const ends = pick(
    (row) => whole.end[row]!,
    (i) => merged.to[i]!,
  );
  const short = shortened([starts, ends, ...reserved, [header.peakEvent]], whole.events);
  const column = (name: string, other: number) => {
    const array = arrays[name]!;
    const made = new (array.constructor as new (length: number) => TypedArray)(rows.length);
    for (const [i, row] of rows.entries()) made[i] = row < whole.rows ? array[row]! : other;
    return made;
  };
  const nowhere = arrays.offset!.length;
  const left = whole.rows - kept.reduce((sum, one) => sum + one, 0);
  const short32 = (events: ArrayLike<number>) => Int32Array.from(events, short.at);
  const { tag, ...others } = arrays;
  return {
    map: new Columns(
      {
        ...header,
        events: short.numbers.length,
        allocs: rows.filter((row) => row >= whole.rows || row < header.allocs).length,
        peakEvent: short.at(header.peakEvent),
        allEvents: whole.events,
        reasons,
        leftOut: { allocations: left, of: whole.rows, stretches: STRETCHES },
      },
      {
        ...others,
        number: short.numbers,
        start: short32(starts),
        end: short32(ends),
        size: Float64Array.from(
          pick(
            (row) => whole.size[row]!,
            (i) => merged.bytes[i]!,
          ),
        ),
        place: column('place', nowhere),
        // Merged ones lie nowhere: a place that is no number is not drawn.
        offset: Float64Array.from([...(arrays.offset as Float64Array), Number.NaN]),
        reason: Uint8Array.from(
          pick(
            (row) => whole.reason[row]!,
            (i) => header.reasons.length + kinds.indexOf(CATEGORIES[merged.category[i]!]!),
          ),
        ),
        stack: column('stack', 0xffffffff),
        pool: column('pool', header.pools.length - 1),
        ...(tag ? { tag: column('tag', 0xffffffff) } : {}),
        reservedStart: short32(reserved[0]!),
        reservedEnd: short32(reserved[1]!),
      },
    ),
    times: new Columns(times.header, {
      micros: Float64Array.from(short.numbers, (event) => times.arrays.micros![event]!),
    }),
  };
}

/** Kept rows, and merged ones as numbers beyond them, in the order in which they begin; what was there before comes last. */
function rowOrder({ rows, start, header }: Whole, kept: Uint8Array, merged: Merged): number[] {
  const own: number[] = [];
  const before: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (kept[row] === 1) (row < header.allocs ? own : before).push(row);
  }
  const begin = (row: number) => (row < rows ? start[row]! : merged.from[row - rows]!);
  for (let i = 0; i < merged.from.length; i++) own.push(rows + i);
  return [...own.sort((a, b) => begin(a) - begin(b) || a - b), ...before];
}

/** Events that something names get new numbers, in order. */
function shortened(used: readonly ArrayLike<number>[], events: number) {
  const marks = new Uint8Array(events + 1);
  marks[0] = 1;
  for (const list of used) {
    for (let i = 0; i < list.length; i++) if (list[i]! >= 0) marks[list[i]!] = 1;
  }
  const position = new Int32Array(events + 1);
  const numbers: number[] = [];
  for (let event = 0; event < events; event++) {
    position[event] = numbers.length;
    if (marks[event] === 1) numbers.push(event);
  }
  position[events] = numbers.length;
  return {
    numbers: Uint32Array.from(numbers),
    at: (event: number) => (event < 0 ? event : position[event]!),
  };
}

/** How many stretches of time merged allocations are summed up in. */
const STRETCHES = 2048;

/** The columns that decide what is kept. */
class Whole {
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
function keptRows({ rows, start, end, size, header }: Whole, most: number): Uint8Array {
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
interface Merged {
  readonly from: number[];
  readonly to: number[];
  readonly bytes: number[];
  readonly category: number[];
}

function mergedRows(whole: Whole, kept: Uint8Array): Merged {
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
