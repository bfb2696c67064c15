import { FormatError } from '../base/errors.ts';
import type { ColumnData } from './column-data.ts';
import type { FlatTable } from './flatbuffer.ts';
import type { TableSpec } from './schema.ts';
import type { Batch } from './table.ts';

export const MAX_COLUMNS = 4096;
const ARRAYS = { f64: Float64Array, u32: Uint32Array, u8: Uint8Array, u64: BigUint64Array };

/** The columns of one batch message; throws where its header and its body do not agree. */
export function readBatch(spec: TableSpec, header: FlatTable, body: Uint8Array): Batch {
  if (header.has(3)) {
    throw new FormatError(`${spec.name}: compressed Arrow is not supported`, {
      hint: 'write it without compression',
    });
  }
  const rows = header.size(0);
  const nodes = header.structs(1, 2, MAX_COLUMNS);
  const buffers = header.structs(2, 2, 3 * MAX_COLUMNS);
  const wanted = spec.columns.reduce((sum, c) => sum + (c.type === 'utf8' ? 3 : 2), 0);
  const claimed = buffers.reduce((sum, [, length]) => sum + length!, 0);
  if (nodes.length !== spec.columns.length || buffers.length !== wanted || claimed > body.length) {
    throw new FormatError(`${spec.name}: a batch does not fit its schema`);
  }
  let next = 0;
  const take = (least: number): Uint8Array => {
    const [offset, length] = buffers[next++]!;
    if (offset! + length! > body.length || length! < least) {
      throw new FormatError(`${spec.name}: a column is shorter than its ${rows} rows`);
    }
    return body.subarray(offset!, offset! + length!);
  };
  const columns = spec.columns.map((column, i): ColumnData => {
    const [length, nulls] = nodes[i]!;
    if (length !== rows) throw new FormatError(`${spec.name}: columns of different lengths`);
    const valid = take(nulls! > 0 ? Math.ceil(rows / 8) : 0);
    if (nulls! > 0 && column.type !== 'f64') {
      throw new FormatError(`${spec.name}: column ${column.name} has nulls, which it may not`);
    }
    if (column.type === 'utf8') {
      // Zero rows may come without offsets.
      const offsets = aligned(Int32Array, take(rows === 0 ? 0 : 4 * (rows + 1)), rows + 1);
      return texts(spec.name, offsets, take(0), rows);
    }
    const array: ArrayType<Exclude<ColumnData, string[]>> = ARRAYS[column.type];
    const values = aligned(array, take(rows * array.BYTES_PER_ELEMENT), rows);
    return values instanceof Float64Array && nulls! > 0 ? withNulls(values, valid) : values;
  });
  return { rows, columns };
}

interface ArrayType<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
}

/** A typed array over the bytes, which are copied only where they lie askew. */
function aligned<T>(type: ArrayType<T>, bytes: Uint8Array, most: number): T {
  const length = Math.min(most, Math.floor(bytes.length / type.BYTES_PER_ELEMENT));
  const straight = bytes.byteOffset % type.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new type(straight.buffer, straight.byteOffset, length);
}

/** NaN where the bitmap says null: other writers leave anything in that slot. */
function withNulls(values: Float64Array, valid: Uint8Array): Float64Array {
  const own = values.slice();
  for (let row = 0; row < own.length; row++) {
    if ((valid[row >> 3]! & (1 << (row & 7))) === 0) own[row] = Number.NaN;
  }
  return own;
}

function texts(name: string, offsets: Int32Array, bytes: Uint8Array, rows: number): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return Array.from({ length: rows }, (_, row) => {
    const start = offsets[row]!;
    const end = offsets[row + 1]!;
    if (start < 0 || end < start || end > bytes.length) {
      throw new FormatError(`${name}: text ${row} lies outside of the data`);
    }
    return decoder.decode(bytes.subarray(start, end));
  });
}
