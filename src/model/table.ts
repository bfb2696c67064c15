import type { ColumnSpec, ColumnType, TableSpec } from './schema.ts';

export type ColumnData = Float64Array | Uint32Array | Uint8Array | BigUint64Array | string[];
export type Cell = number | bigint | string | null;

/** Rows of one table as columns, in the order of its spec. */
export interface Batch {
  readonly rows: number;
  readonly columns: readonly ColumnData[];
}

export function newColumn(type: ColumnType, capacity: number): ColumnData {
  switch (type) {
    case 'f64':
      return new Float64Array(capacity).fill(Number.NaN);
    case 'u32':
      return new Uint32Array(capacity);
    case 'u8':
      return new Uint8Array(capacity);
    case 'u64':
      return new BigUint64Array(capacity);
    case 'utf8':
      return new Array<string>(capacity).fill('');
  }
}

function setCell(column: ColumnData, row: number, value: Cell): void {
  (column as Cell[])[row] = value;
}

/** Copies one column into another of the same type, from row `at` on. */
function copyInto(target: ColumnData, source: ColumnData, at: number): void {
  if (!Array.isArray(source)) (target as Float64Array).set(source as Float64Array, at);
  else for (const [i, value] of source.entries()) setCell(target, at + i, value);
}

/** Rows of a column; typed arrays share memory, as nobody writes a taken batch. */
function between(column: ColumnData, start: number, end: number): ColumnData {
  return Array.isArray(column) ? column.slice(start, end) : column.subarray(start, end);
}

/** What a cell holds that was never written. */
function nullOf(column: ColumnData): Cell {
  if (Array.isArray(column)) return '';
  return column instanceof Float64Array ? Number.NaN : column instanceof BigUint64Array ? 0n : 0;
}

/**
 * The columns of a table, empty. Those of numbers lie in one piece of memory: a batch goes from
 * thread to thread in one piece, where each piece that is handed over has its price.
 */
function newColumns(spec: TableSpec, capacity: number): ColumnData[] {
  const size = (type: ColumnType) => (type === 'utf8' ? 0 : capacity * WIDTH[type]);
  const memory = new ArrayBuffer(spec.columns.reduce((sum, c) => sum + pad8(size(c.type)), 0));
  let at = 0;
  return spec.columns.map(({ type }) => {
    const start = at;
    at += pad8(size(type));
    return columnWithin(memory, start, type, capacity);
  });
}

function columnWithin(
  memory: ArrayBuffer,
  start: number,
  type: ColumnType,
  capacity: number,
): ColumnData {
  switch (type) {
    case 'f64':
      return new Float64Array(memory, start, capacity).fill(Number.NaN);
    case 'u32':
      return new Uint32Array(memory, start, capacity);
    case 'u8':
      return new Uint8Array(memory, start, capacity);
    case 'u64':
      return new BigUint64Array(memory, start, capacity);
    case 'utf8':
      return newColumn(type, capacity);
  }
}

const WIDTH = { f64: 8, u32: 4, u8: 1, u64: 8 } as const;
const pad8 = (bytes: number) => Math.ceil(bytes / 8) * 8;

/** A growing table. Samplers write cells by position; importers push whole rows. */
export class TableBuffer {
  readonly spec: TableSpec;
  rows = 0;
  columns: ColumnData[];
  #capacity: number;

  constructor(spec: TableSpec, capacity = 64) {
    this.spec = spec;
    this.#capacity = capacity;
    this.columns = newColumns(spec, capacity);
  }

  /** Opens a row of nulls (a new column holds nothing else) and returns its number. */
  addRow(): number {
    if (this.rows === this.#capacity) this.#grow();
    return this.rows++;
  }

  /** Appends one row, cells in the order of the spec; null where nothing was measured. */
  push(cells: readonly Cell[]): void {
    const row = this.addRow();
    for (let i = 0; i < cells.length; i++) {
      const value = cells[i];
      if (value !== null && value !== undefined) setCell(this.columns[i]!, row, value);
    }
  }

  /** Appends rows of other columns of the same spec. */
  append(columns: readonly ColumnData[], start: number, end: number): void {
    while (this.rows + end - start > this.#capacity) this.#grow();
    for (const [i, source] of columns.entries()) {
      copyInto(this.columns[i]!, between(source, start, end), this.rows);
    }
    this.rows += end - start;
  }

  /** The rows that are there, without taking them: valid until the next change. */
  view(): Batch {
    return { rows: this.rows, columns: this.columns.map((c) => between(c, 0, this.rows)) };
  }

  /** Forgets the first rows, in the same memory: for long work that should not make garbage. */
  drop(rows: number): void {
    for (const column of this.columns) {
      column.copyWithin(0, rows, this.rows);
      (column as Cell[]).fill(nullOf(column), this.rows - rows, this.rows);
    }
    this.rows -= rows;
  }

  /** A column of numbers to write into; valid until the next `addRow` or `take`. */
  f64(index: number): Float64Array {
    return this.columns[index] as Float64Array;
  }

  /** Hands the rows over and starts anew. */
  take(): Batch {
    const batch = { rows: this.rows, columns: this.columns.map((c) => between(c, 0, this.rows)) };
    this.columns = newColumns(this.spec, this.#capacity);
    this.rows = 0;
    return batch;
  }

  #grow(): void {
    const capacity = this.#capacity * 2;
    const grown = newColumns(this.spec, capacity);
    for (const [i, old] of this.columns.entries()) copyInto(grown[i]!, old, 0);
    this.columns = grown;
    this.#capacity = capacity;
  }
}

/** A table that will not change any more; its columns are joined when first asked for. */
export class Table {
  readonly spec: TableSpec;
  readonly rows: number;
  readonly batches: readonly Batch[];
  readonly #joined = new Map<string, ColumnData>();

  constructor(spec: TableSpec, batches: readonly Batch[]) {
    this.spec = spec;
    this.batches = batches;
    this.rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  }

  has(name: string): boolean {
    return this.spec.columns.some((c) => c.name === name);
  }

  /** A Float64 column; NaN is null. A column this recording does not have is all null. */
  f64(name: string): Float64Array {
    if (!this.has(name)) return new Float64Array(this.rows).fill(Number.NaN);
    return this.#column(name, 'f64') as Float64Array;
  }

  u32(name: string): Uint32Array {
    return this.#column(name, 'u32') as Uint32Array;
  }

  u8(name: string): Uint8Array {
    return this.#column(name, 'u8') as Uint8Array;
  }

  u64(name: string): BigUint64Array {
    return this.#column(name, 'u64') as BigUint64Array;
  }

  utf8(name: string): readonly string[] {
    return this.#column(name, 'utf8') as string[];
  }

  /** Any column, for code that treats all alike (exports). */
  column(spec: ColumnSpec): ColumnData {
    return this.#column(spec.name, spec.type);
  }

  #column(name: string, type: ColumnType): ColumnData {
    const known = this.#joined.get(name);
    if (known) return known;
    const index = this.spec.columns.findIndex((c) => c.name === name && c.type === type);
    if (index < 0) throw new Error(`table ${this.spec.name} has no ${type} column ${name}`);
    const joined = this.#join(index, type);
    this.#joined.set(name, joined);
    return joined;
  }

  #join(index: number, type: ColumnType): ColumnData {
    if (this.batches.length === 1) return this.batches[0]!.columns[index]!;
    const joined = newColumn(type, this.rows);
    let row = 0;
    for (const batch of this.batches) {
      copyInto(joined, batch.columns[index]!, row);
      row += batch.rows;
    }
    return joined;
  }
}
