import {
  type Data,
  Field,
  Float64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Uint8,
  Uint32,
  Uint64,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import type { ColumnSpec, ColumnType, TableSpec } from './schema.ts';
import type { Batch, ColumnData } from './table.ts';

/**
 * Batches → Arrow IPC streams. A stream is a schema message and then batch messages, each of
 * which can be written, checked and left out on its own; that is what makes recovery possible.
 * arrow-reader.ts is the way back.
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
