import { Builder } from 'flatbuffers';
import { encodeBatch } from './arrow-batch-writer.ts';
import type { ColumnSpec, ColumnType, TableSpec } from './schema.ts';
import type { Batch } from './table.ts';

/**
 * Batches → Arrow IPC streams. A stream is a schema message and then batch messages, each of
 * which can be written, checked and left out on its own; that is what makes recovery possible.
 * Written here by hand: apache-arrow is fifty times as large, and loading and warming it up was
 * most of what a short recording cost.
 */

/** Encodes the batches of one table; the schema message is made once. */
export class ArrowEncoder {
  readonly #spec: TableSpec;
  readonly schemaBytes: Uint8Array;

  constructor(spec: TableSpec) {
    this.#spec = spec;
    this.schemaBytes = schemaMessage(spec);
  }

  /** One batch message, to be appended to the schema message or to earlier batches. */
  encode(batch: Batch): Uint8Array {
    return encodeBatch(this.#spec, batch);
  }
}

const METADATA_V5 = 4;
const HEADER_SCHEMA = 1;
const TYPE_INT = 2;
const TYPE_FLOAT = 3;
const TYPE_UTF8 = 5;
const PRECISION_DOUBLE = 2;
const INT_BITS: Partial<Record<ColumnType, number>> = { u8: 8, u32: 32, u64: 64 };

/** Field numbers are those of Arrow's Message.fbs and Schema.fbs. */
function schemaMessage(spec: TableSpec): Uint8Array {
  const builder = new Builder(4096);
  const fields = spec.columns.map((column) => fieldTable(builder, column));
  const fieldVector = offsetVector(builder, fields);
  const metadata = metadataVector(builder, [
    ['highwater.table', spec.name],
    ['meaning', spec.meaning],
  ]);
  builder.startObject(4);
  builder.addFieldOffset(1, fieldVector, 0);
  builder.addFieldOffset(2, metadata, 0);
  const schema = builder.endObject();
  builder.startObject(5);
  builder.addFieldInt16(0, METADATA_V5, 0);
  builder.addFieldInt8(1, HEADER_SCHEMA, 0);
  builder.addFieldOffset(2, schema, 0);
  builder.finish(builder.endObject());
  return framed(builder.asUint8Array());
}

function fieldTable(builder: Builder, column: ColumnSpec): number {
  const name = builder.createString(column.name);
  const { kind, type } = typeTable(builder, column.type);
  const children = offsetVector(builder, []);
  const metadata = metadataVector(builder, [
    ['unit', column.unit],
    ['meaning', column.meaning],
  ]);
  builder.startObject(7);
  builder.addFieldOffset(0, name, 0);
  builder.addFieldInt8(1, column.type === 'f64' ? 1 : 0, 0);
  builder.addFieldInt8(2, kind, 0);
  builder.addFieldOffset(3, type, 0);
  builder.addFieldOffset(5, children, 0);
  builder.addFieldOffset(6, metadata, 0);
  return builder.endObject();
}

function typeTable(builder: Builder, type: ColumnType): { kind: number; type: number } {
  const bits = INT_BITS[type];
  builder.startObject(2);
  if (bits !== undefined) builder.addFieldInt32(0, bits, 0);
  else if (type === 'f64') builder.addFieldInt16(0, PRECISION_DOUBLE, 0);
  const kind = bits !== undefined ? TYPE_INT : type === 'f64' ? TYPE_FLOAT : TYPE_UTF8;
  return { kind, type: builder.endObject() };
}

function metadataVector(builder: Builder, pairs: readonly (readonly [string, string])[]): number {
  const entries = pairs.map(([key, value]) => {
    const [keyAt, valueAt] = [builder.createString(key), builder.createString(value)];
    builder.startObject(2);
    builder.addFieldOffset(0, keyAt, 0);
    builder.addFieldOffset(1, valueAt, 0);
    return builder.endObject();
  });
  return offsetVector(builder, entries);
}

function offsetVector(builder: Builder, offsets: readonly number[]): number {
  builder.startVector(4, offsets.length, 4);
  for (const offset of offsets.toReversed()) builder.addOffset(offset);
  return builder.endVector();
}

/** A message begins with a marker and the length of its metadata, padded to eight bytes. */
function framed(metadata: Uint8Array): Uint8Array {
  const length = Math.ceil(metadata.length / 8) * 8;
  const bytes = new Uint8Array(8 + length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xffffffff, true);
  view.setInt32(4, length, true);
  bytes.set(metadata, 8);
  return bytes;
}
