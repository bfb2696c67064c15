import type { StoreColumn, StoreTable } from './schema.ts';

/** Texts, or figures: NaN is null, a bool is 0 or 1, a time microseconds since 1970. */
export type StoreValues = readonly string[] | Float64Array;

/** Rows of one table, column by column in the order of its columns. */
export interface StoreBatch {
  readonly rows: number;
  readonly columns: readonly StoreValues[];
}

/** One row by names; what is left out is not known. */
export type StoreRow = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What one run has for a table, a batch at a time. */
export type StoreBatches = Iterable<StoreBatch>;

/** No more rows than this at once: what a store is given stays small however long the recording. */
export const BATCH_ROWS = 65_536;

export function* batchesOf(table: StoreTable, rows: Iterable<StoreRow>): Generator<StoreBatch> {
  let waiting: StoreRow[] = [];
  for (const row of rows) {
    waiting.push(row);
    if (waiting.length < BATCH_ROWS) continue;
    yield batchOf(table, waiting);
    waiting = [];
  }
  if (waiting.length > 0) yield batchOf(table, waiting);
}

function batchOf(table: StoreTable, rows: readonly StoreRow[]): StoreBatch {
  const known = new Set(table.columns.map(({ name }) => name));
  for (const name of Object.keys(rows[0] ?? {})) {
    if (!known.has(name)) throw new Error(`table ${table.name} has no column ${name}`);
  }
  return { rows: rows.length, columns: table.columns.map((column) => valuesOf(column, rows)) };
}

function valuesOf({ name, type }: StoreColumn, rows: readonly StoreRow[]): StoreValues {
  if (type === 'text') return rows.map((row) => String(row[name] ?? ''));
  return Float64Array.from(rows, (row) => {
    const value = row[name];
    if (value === null || value === undefined || value === '') return Number.NaN;
    const figure = Number(value);
    if (type === 'float') return Number.isFinite(figure) ? figure : Number.NaN;
    return Number.isFinite(figure) ? Math.round(figure) : Number.NaN;
  });
}
