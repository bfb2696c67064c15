import {
  type Data,
  DataType,
  Field,
  Float64,
  makeData,
  Precision,
  RecordBatch,
  RecordBatchReader,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Uint8,
  Uint32,
  Uint64,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { FormatError } from '../base/errors.ts';
import type { ColumnSpec, ColumnType, TableSpec, Unit } from './schema.ts';
import type { Batch, ColumnData } from './table.ts';

/**
 * Batches ↔ Arrow IPC streams. A stream is a schema message and then batch messages, each of
 * which can be written, checked and left out on its own; that is what makes recovery possible.
 */

const END_OF_STREAM = 8;

function arrowType(type: ColumnType): Float64 | Uint32 | Uint8 | Uint64 | Utf8 {
  switch (type) {
    case 'f64':
      return new Float64();
    case 'u32':
      return new Uint32();
    case 'u8':
      return new Uint8();
    case 'u64':
      return new Uint64();
    case 'utf8':
      return new Utf8();
  }
}

function arrowSchema(spec: TableSpec): Schema {
  return new Schema(
    spec.columns.map(
      (c) =>
        new Field(
          c.name,
          arrowType(c.type),
          c.type === 'f64',
          new Map([
            ['unit', c.unit],
            ['meaning', c.meaning],
          ]),
        ),
    ),
    new Map([
      ['highwater.table', spec.name],
      ['meaning', spec.meaning],
    ]),
  );
}

/** Validity bits of a Float64 column, or null when no value is missing. */
function validity(values: Float64Array): { bitmap: Uint8Array; nulls: number } | null {
  let nulls = 0;
  for (const value of values) if (Number.isNaN(value)) nulls++;
  if (nulls === 0) return null;
  const bitmap = new Uint8Array(Math.ceil(values.length / 8));
  for (let row = 0; row < values.length; row++) {
    if (!Number.isNaN(values[row]!)) bitmap[row >> 3]! |= 1 << (row & 7);
  }
  return { bitmap, nulls };
}

function arrowData(spec: ColumnSpec, column: ColumnData): Data {
  if (Array.isArray(column)) return vectorFromArray(column, new Utf8()).data[0]!;
  const type = arrowType(spec.type) as Float64;
  const data = column as Float64Array;
  const nulls = data instanceof Float64Array ? validity(data) : null;
  return nulls
    ? makeData({ type, data, nullBitmap: nulls.bitmap, nullCount: nulls.nulls })
    : makeData({ type, data, nullCount: 0 });
}

function streamBytes(schema: Schema, batches: RecordBatch[]): Uint8Array {
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  for (const batch of batches) writer.write(batch);
  writer.finish();
  return writer.toUint8Array(true);
}

/** Encodes the batches of one table; the schema message is made once. */
export class ArrowEncoder {
  readonly #spec: TableSpec;
  readonly #schema: Schema;
  readonly schemaBytes: Uint8Array;

  constructor(spec: TableSpec) {
    this.#spec = spec;
    this.#schema = arrowSchema(spec);
    const empty = streamBytes(this.#schema, []);
    this.schemaBytes = empty.subarray(0, empty.length - END_OF_STREAM);
  }

  /** One batch message, to be appended to the schema message or to earlier batches. */
  encode(batch: Batch): Uint8Array {
    const struct = makeData({
      type: new Struct(this.#schema.fields),
      length: batch.rows,
      nullCount: 0,
      children: this.#spec.columns.map((c, i) => arrowData(c, batch.columns[i]!)),
    });
    const bytes = streamBytes(this.#schema, [new RecordBatch(this.#schema, struct)]);
    return bytes.subarray(this.schemaBytes.length, bytes.length - END_OF_STREAM);
  }
}

function columnType(field: Field): ColumnType {
  const type = field.type;
  if (DataType.isFloat(type) && type.precision === Precision.DOUBLE) return 'f64';
  if (DataType.isUtf8(type)) return 'utf8';
  if (DataType.isInt(type) && !type.isSigned) {
    if (type.bitWidth === 32) return 'u32';
    if (type.bitWidth === 8) return 'u8';
    if (type.bitWidth === 64) return 'u64';
  }
  throw new FormatError(`column ${field.name} has type ${type}, which no recording uses`);
}

/** Float64 values with NaN where the bitmap says null: other writers leave anything in that slot. */
function withNulls(data: Data): Float64Array {
  const values = (data.values as Float64Array).subarray(0, data.length);
  if (data.nullCount === 0) return values;
  const own = values.slice();
  for (let row = 0; row < own.length; row++) if (!data.getValid(row)) own[row] = Number.NaN;
  return own;
}

function columnData(data: Data, type: ColumnType): ColumnData {
  if (type === 'f64') return withNulls(data);
  if (type === 'utf8') {
    const offsets = data.valueOffsets as Int32Array;
    const bytes = data.values as unknown as Uint8Array;
    const decoder = new TextDecoder();
    return Array.from({ length: data.length }, (_, row) =>
      decoder.decode(bytes.subarray(offsets[row]!, offsets[row + 1]!)),
    );
  }
  return (data.values as Uint32Array).subarray(0, data.length);
}

/**
 * Reads a stream given as its messages: the schema's, then any batches'. Only bytes that were
 * checked may come here: the library can hang on a damaged header.
 */
export function decodeStream(
  name: string,
  messages: Iterable<Uint8Array>,
): { spec: TableSpec; batches: Batch[] } {
  const reader = RecordBatchReader.from(joinBytes([...messages]));
  reader.open();
  const fields = reader.schema.fields;
  const types = fields.map(columnType);
  const spec: TableSpec = {
    name,
    meaning: reader.schema.metadata.get('meaning') ?? '',
    columns: fields.map((field, i) => ({
      name: field.name,
      type: types[i]!,
      unit: (field.metadata.get('unit') ?? '') as Unit,
      meaning: field.metadata.get('meaning') ?? '',
    })),
  };
  const batches: Batch[] = [];
  for (const batch of reader) {
    batches.push({
      rows: batch.numRows,
      columns: batch.data.children.map((child, i) => columnData(child, types[i]!)),
    });
  }
  return { spec, batches };
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
