import { FormatError } from '../base/errors.ts';
import type { ColumnData } from './column-data.ts';
import { FlatTable } from './flatbuffer.ts';
import type { ColumnType, TableSpec, Unit } from './schema.ts';
import type { Batch } from './table.ts';

/**
 * Arrow IPC streams → batches, for the flat tables that recordings are made of. Arrow's own
 * library hangs or takes all memory on a flipped header bit, so every length is checked here
 * against the bytes that are there; typed arrays come out without copying.
 * https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 */

const CONTINUATION = 0xffffffff;
const SCHEMA_MESSAGE = 1;
const BATCH_MESSAGE = 3;
const MAX_COLUMNS = 4096;
const ARRAYS = { f64: Float64Array, u32: Uint32Array, u8: Uint8Array, u64: BigUint64Array };

const TYPE_NAMES = [
  '',
  'null',
  'int',
  'float',
  'binary',
  'utf8',
  'bool',
  'decimal',
  'date',
  'time',
];

interface Message {
  readonly kind: number;
  readonly header: FlatTable;
  readonly body: Uint8Array;
}

export interface ArrowTable {
  readonly spec: TableSpec;
  readonly batches: Batch[];
  /** The schema's `highwater.table`, '' where another tool wrote the stream. */
  readonly table: string;
  /** Bytes at the end that are no whole message: the stream was cut off. */
  readonly cutBytes: number;
}

/** Reads a stream given as its messages, the schema's first; `name` is for the spec and messages. */
export function decodeStream(name: string, pieces: Iterable<Uint8Array>): ArrowTable {
  try {
    return decode(name, pieces);
  } catch (error) {
    // A DataView that is asked for bytes outside of it: a header points nowhere.
    if (!(error instanceof RangeError)) throw error;
    throw new FormatError(`${name}: a header points outside of the data`, { cause: error });
  }
}

function decode(name: string, pieces: Iterable<Uint8Array>): ArrowTable {
  let spec: TableSpec | undefined;
  let table = '';
  let cutBytes = 0;
  const batches: Batch[] = [];
  for (const piece of pieces) {
    const messages = splitMessages(piece);
    for (const message of messages.whole) {
      if (message.kind === SCHEMA_MESSAGE && !spec) {
        ({ spec, table } = readSchema(name, message.header));
      } else if (message.kind === BATCH_MESSAGE && spec) {
        batches.push(readBatch(spec, message.header, message.body));
      } else {
        throw new FormatError(`${name}: message of kind ${message.kind} where none may be`, {
          hint: 'dictionaries and tensors are not supported',
        });
      }
    }
    cutBytes += messages.cutBytes;
  }
  if (!spec) throw new FormatError(`${name}: the stream has no schema`);
  return { spec, table, batches, cutBytes };
}

function splitMessages(bytes: Uint8Array): { whole: Message[]; cutBytes: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole: Message[] = [];
  let at = 0;
  while (at + 8 <= bytes.length) {
    if (view.getUint32(at, true) !== CONTINUATION) {
      throw new FormatError(`no Arrow message at byte ${at}`);
    }
    const metaBytes = view.getInt32(at + 4, true);
    if (metaBytes === 0) return { whole, cutBytes: 0 };
    if (metaBytes < 0) throw new FormatError(`impossible length of the message at byte ${at}`);
    const bodyAt = at + 8 + metaBytes;
    if (bodyAt > bytes.length) break;
    const message = FlatTable.root(bytes.subarray(at + 8, bodyAt));
    const header = message.table(2);
    const end = bodyAt + message.size(3);
    if (end > bytes.length) break;
    if (!header) throw new FormatError(`the message at byte ${at} has no header`);
    whole.push({ kind: message.u8(1), header, body: bytes.subarray(bodyAt, end) });
    at = end;
  }
  return { whole, cutBytes: bytes.length - at };
}

function readSchema(name: string, schema: FlatTable): { spec: TableSpec; table: string } {
  if (schema.i16(0) !== 0) throw new FormatError(`${name}: big-endian data is not supported`);
  const notes = readNotes(schema, 2);
  const columns = schema.tables(1, MAX_COLUMNS).map((field) => {
    const fieldNotes = readNotes(field, 6);
    return {
      name: field.text(0),
      type: columnType(name, field),
      unit: (fieldNotes.get('unit') ?? '') as Unit,
      meaning: fieldNotes.get('meaning') ?? '',
    };
  });
  if (columns.length === 0) throw new FormatError(`${name}: the table has no columns`);
  return {
    spec: { name, meaning: notes.get('meaning') ?? '', columns },
    table: notes.get('highwater.table') ?? '',
  };
}

function readNotes(table: FlatTable, slot: number): Map<string, string> {
  return new Map(table.tables(slot, 64).map((note) => [note.text(0), note.text(1)]));
}

function columnType(table: string, field: FlatTable): ColumnType {
  const kind = field.u8(2);
  const type = field.table(3);
  const plain = !field.has(4) && field.count(5) === 0;
  if (plain && type) {
    if (kind === 3 && type.i16(0) === 2) return 'f64';
    if (kind === 5) return 'utf8';
    if (kind === 2 && type.u8(1) === 0) {
      const bits = type.i32(0);
      if (bits === 32) return 'u32';
      if (bits === 8) return 'u8';
      if (bits === 64) return 'u64';
    }
  }
  const known = 'float64, uint8, uint32, uint64 or utf8';
  throw new FormatError(
    `${table}: column ${field.text(0)} is of Arrow type ${TYPE_NAMES[kind] || kind}`,
    { hint: `expected plain ${known}` },
  );
}

/** The columns of one batch message; throws where its header and its body do not agree. */
function readBatch(spec: TableSpec, header: FlatTable, body: Uint8Array): Batch {
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

/** A typed array over the bytes, which are copied only where they are unaligned. */
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
