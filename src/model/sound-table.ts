import { count } from '../base/text.ts';
import type { ColumnData } from './column-data.ts';
import { inOrderOfTime, TABLES, type TableSpec } from './schema.ts';
import { Table } from './table.ts';

/**
 * A checksum says that bytes are those that were written, not that they make sense. What every analysis
 * relies on is made sure of here, once: times are finite and ascend, figures are finite. All else is damage.
 */

/** Nanoseconds of 292 years: beyond it the steps of a clock are lost in a float64. */
const MOST_NS = 2 ** 63;
/** No memory, count or address is larger. */
const MOST = 2 ** 64;

export const isTime = (ns: number): boolean => ns > -MOST_NS && ns < MOST_NS;

/** Samples are taken one after the other; what several processes tell need not arrive in its order. */
const TOLD: ReadonlySet<string> = new Set(
  (['marks', 'layers', 'counters', 'tensors', 'objects', 'held', 'moments', 'passes'] as const).map(
    (name) => TABLES[name].name,
  ),
);

/** Whether rows that follow a moment need nothing left out: they go on in time, and all figures are finite. */
export function isSound(spec: TableSpec, columns: readonly ColumnData[], afterNs: number): boolean {
  const times = inOrderOfTime(spec) ? (columns[0] as Float64Array) : null;
  if (times && !ascends(times, Math.max(afterNs, -MOST_NS))) return false;
  return columns.every((column) => !(column instanceof Float64Array) || countWrong(column) === 0);
}

/** The table without what cannot have been measured, and what that was, in words. */
export function soundTable(table: Table): { table: Table; damage: string[] } {
  const damage: string[] = [];
  const ordered = inOrderOfTime(table.spec) ? inOrder(table) : table;
  const lost = table.rows - ordered.rows;
  if (lost > 0) {
    damage.push(
      `table ${table.spec.name}: ${count(lost, 'row')} with a time that is none or goes back left out, ` +
        `${count(ordered.rows, 'row')} kept`,
    );
  }
  const { table: finite, nulled } = withFiniteFigures(ordered);
  if (nulled > 0) {
    damage.push(
      `table ${table.spec.name}: ${count(nulled, 'figure')} that nothing can measure left out`,
    );
  }
  return { table: finite, damage };
}

function inOrder(table: Table): Table {
  const times = table.f64('time');
  if (ascends(times)) return table;
  const rows = TOLD.has(table.spec.name) ? sorted(times) : longestAscent(times);
  const columns = table.spec.columns.map((spec) => picked(table.column(spec), rows));
  return new Table(table.spec, rows.length > 0 ? [{ rows: rows.length, columns }] : []);
}

function ascends(times: Float64Array, afterNs = -MOST_NS): boolean {
  let last = afterNs;
  for (let row = 0; row < times.length; row++) {
    const time = times[row]!;
    if (!(time >= last && time < MOST_NS)) return false;
    last = time;
  }
  return true;
}

/** Rows in the order of their times, those of one time as they came. */
function sorted(times: Float64Array): Uint32Array {
  const rows = Uint32Array.from(times.keys()).filter((row) => isTime(times[row]!));
  return rows.sort((a, b) => times[a]! - times[b]! || a - b);
}

/**
 * Rows of the longest run of times that never goes back, so that one wrong time, however large, costs its
 * own row and not all that follow it. Patience sorting: n log n.
 */
function longestAscent(times: Float64Array): Uint32Array {
  const tails = new Uint32Array(times.length);
  const before = new Int32Array(times.length).fill(-1);
  let length = 0;
  for (let row = 0; row < times.length; row++) {
    const time = times[row]!;
    if (!isTime(time)) continue;
    let [low, high] = [0, length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[tails[middle]!]! <= time) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[row] = tails[low - 1]!;
    tails[low] = row;
    if (low === length) length++;
  }
  const rows = new Uint32Array(length);
  let row = length > 0 ? tails[length - 1]! : -1;
  for (let at = length - 1; at >= 0; at--) {
    rows[at] = row;
    row = before[row]!;
  }
  return rows;
}

function picked(column: ColumnData, rows: Uint32Array): ColumnData {
  if (Array.isArray(column)) return Array.from(rows, (row) => column[row]!);
  const result = new (column.constructor as new (length: number) => typeof column)(rows.length);
  for (let i = 0; i < rows.length; i++) result[i] = column[rows[i]!]!;
  return result;
}

/** Figures that are none become null, as those that were not measured; columns are copied only then. */
function withFiniteFigures(table: Table): { table: Table; nulled: number } {
  let nulled = 0;
  const batches = table.batches.map(({ rows, columns }) => ({
    rows,
    columns: columns.map((column) => {
      if (!(column instanceof Float64Array)) return column;
      const wrong = countWrong(column);
      nulled += wrong;
      return wrong === 0 ? column : column.map((value) => (isWrong(value) ? Number.NaN : value));
    }),
  }));
  return nulled === 0 ? { table, nulled } : { table: new Table(table.spec, batches), nulled };
}

/** NaN is null, and right. */
const isWrong = (value: number) => value >= MOST || value <= -MOST;

function countWrong(column: Float64Array): number {
  let wrong = 0;
  for (let row = 0; row < column.length; row++) if (isWrong(column[row]!)) wrong++;
  return wrong;
}
