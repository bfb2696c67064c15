import type { ColumnType, TableSpec } from './schema.ts';

export type ColumnData = Float64Array | Uint32Array | Uint8Array | BigUint64Array | string[];
export type Cell = number | bigint | string | null;

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

export function setCell(column: ColumnData, row: number, value: Cell): void {
  (column as Cell[])[row] = value;
}

/** Copies one column into another of the same type, from row `at` on. */
export function copyInto(target: ColumnData, source: ColumnData, at: number): void {
  if (!Array.isArray(source)) (target as Float64Array).set(source as Float64Array, at);
  else for (const [i, value] of source.entries()) setCell(target, at + i, value);
}

/** Rows of a column; typed arrays share memory, as nobody writes a taken batch. */
export function between(column: ColumnData, start: number, end: number): ColumnData {
  return Array.isArray(column) ? column.slice(start, end) : column.subarray(start, end);
}

/** What a cell holds that was never written. */
export function nullOf(column: ColumnData): Cell {
  if (Array.isArray(column)) return '';
  return column instanceof Float64Array ? Number.NaN : column instanceof BigUint64Array ? 0n : 0;
}

/**
 * The columns of a table, empty. Those of numbers lie in one piece of memory: a batch goes from
 * thread to thread in one piece, where each piece that is handed over has its price.
 */
export function newColumns(spec: TableSpec, capacity: number): ColumnData[] {
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
