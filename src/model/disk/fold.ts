import type { ColumnData } from '../column-data.ts';
import type { TableName } from '../schema.ts';
import { type Series, seriesOfTable } from '../series.ts';
import { type Batch, Table, TableBuffer } from '../table.ts';

/**
 * Folding makes an overlong recording smaller without changing what it says: of each stretch of
 * time it keeps whole samples, those at which a series of the table was lowest or highest, and the
 * last. Kept rows are untouched and at their own times, so that peaks stay exact, sums over
 * processes stay true, and a folded table can be folded again by the same code.
 */

/** Tables whose rows are samples; all others are only rewritten in larger batches. */
export const FOLDED_TABLES = [
  'host',
  'process',
  'cgroup',
  'gpu',
  'gpu_process',
  'device_group',
] as const;
const SAMPLED: ReadonlySet<TableName> = new Set(FOLDED_TABLES);

/** Rows that a rewritten batch holds: large enough that the cost of a message does not matter. */
const BATCH_ROWS = 16_384;

/** A stretch with more rows than this is closed early, so that memory stays bounded. */
const MAX_PENDING_ROWS = 200_000;

export class TableFold {
  readonly #name: TableName;
  readonly #bucketNs: number;
  readonly #emit: (batch: Batch) => void;
  /** Further series whose extremes stay. */
  readonly #also: (table: Table) => readonly Series[];
  readonly #out: TableBuffer;
  readonly #pending: TableBuffer;
  #processAt = BATCH_ROWS;

  constructor(
    name: TableName,
    spec: TableBuffer['spec'],
    bucketNs: number,
    emit: (batch: Batch) => void,
    also: (table: Table) => readonly Series[] = () => [],
  ) {
    this.#name = name;
    this.#bucketNs = bucketNs;
    this.#emit = emit;
    this.#also = also;
    this.#out = new TableBuffer(spec, 1024);
    this.#pending = new TableBuffer(spec, 4096);
  }

  add(batch: Batch): void {
    this.#pending.append(batch.columns, 0, batch.rows);
    if (this.#pending.rows >= this.#processAt) this.#process(false);
  }

  end(): void {
    this.#process(true);
    this.#flush();
  }

  #process(final: boolean): void {
    // Looked at and moved where it lies: memory asked for anew at each step would be scattered over
    // the heap, and the recorder would grow with each fold.
    const batch = this.#pending.view();
    const table = new Table(this.#pending.spec, [batch]);
    const all = final || batch.rows > MAX_PENDING_ROWS;
    const { rows, consumed } = SAMPLED.has(this.#name)
      ? extremes(this.#name, table, this.#bucketNs, all, this.#also(table))
      : { rows: allRows(batch.rows), consumed: batch.rows };
    for (const row of rows) {
      copyRow(batch.columns, row, this.#out);
      if (this.#out.rows >= BATCH_ROWS) this.#flush();
    }
    this.#pending.drop(consumed);
    // A stretch that spans many batches must not be looked at anew for each of them.
    this.#processAt = this.#pending.rows + BATCH_ROWS;
  }

  /** Whoever gets the rows is done with them before it returns. */
  #flush(): void {
    if (this.#out.rows === 0) return;
    this.#emit(this.#out.view());
    this.#out.drop(this.#out.rows);
  }
}

const allRows = (rows: number) => Array.from({ length: rows }, (_, row) => row);

/** The series whose extremes stay. A kernel's high-water mark is one process's, part of no sum. */
function keptSeries(name: TableName, table: Table): Series[] {
  const named = seriesOfTable(name, table);
  if (name !== 'process') return named;
  const marks = table.f64('hwm').map((bytes) => (Number.isNaN(bytes) ? 0 : bytes));
  return [...named, { name: 'hwm', times: table.f64('time'), values: marks }];
}

/** Rows to keep of all complete stretches of a table, and how many rows those stretches span. */
export function extremes(
  name: TableName,
  table: Table,
  bucketNs: number,
  final: boolean,
  also: readonly Series[] = [],
): { rows: number[]; consumed: number } {
  const times = table.f64('time');
  if (times.length === 0) return { rows: [], consumed: 0 };
  const bucketOf = (time: number) => Math.floor(time / bucketNs);
  const lastBucket = bucketOf(times[times.length - 1]!);

  const keep = new Set<number>();
  for (const series of [...keptSeries(name, table), ...also]) {
    const { values } = series;
    for (let i = 0; i < values.length; ) {
      const bucket = bucketOf(series.times[i]!);
      let low = i;
      let high = i;
      for (; i < values.length && bucketOf(series.times[i]!) === bucket; i++) {
        if (values[i]! < values[low]!) low = i;
        if (values[i]! > values[high]!) high = i;
      }
      keep.add(series.times[low]!).add(series.times[high]!);
    }
  }

  const rows: number[] = [];
  let row = 0;
  while (row < times.length) {
    const time = times[row]!;
    const bucket = bucketOf(time);
    if (!final && bucket === lastBucket) break;
    let end = row;
    while (end < times.length && times[end] === time) end++;
    const lastOfBucket = end === times.length || bucketOf(times[end]!) !== bucket;
    if (lastOfBucket || keep.has(time)) for (; row < end; row++) rows.push(row);
    row = end;
  }
  return { rows, consumed: row };
}

function copyRow(from: readonly ColumnData[], row: number, to: TableBuffer): void {
  const target = to.addRow();
  for (let i = 0; i < from.length; i++) {
    (to.columns[i] as unknown[])[target] = from[i]![row];
  }
}
