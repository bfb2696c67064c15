import {
  between,
  type Cell,
  type ColumnData,
  copyInto,
  newColumn,
  newColumns,
  nullOf,
  setCell,
} from './column-data.ts';
import type { ColumnSpec, ColumnType, TableSpec } from './schema.ts';

/** Rows of one table as columns, in the order of its spec. */
export interface Batch {
  readonly rows: number;
  readonly columns: readonly ColumnData[];
}

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
