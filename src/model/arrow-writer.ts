import { Builder } from 'flatbuffers';
import type { ColumnData } from './column-data.ts';
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

const CONTINUATION = 0xffffffff;
/** The marker and the length of the metadata. */
const PREFIX = 8;
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
  const length = pad8(metadata.length);
  const bytes = new Uint8Array(PREFIX + length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, length, true);
  bytes.set(metadata, PREFIX);
  return bytes;
}

const RECORD_BATCH = 3;
/** Positions within the metadata; 64-bit fields lie at multiples of eight. */
const MESSAGE = 16;
const BODY_LENGTH = MESSAGE + 8;
const HEADER = MESSAGE + 16;
const BATCH = 48;
const ROWS = BATCH + 8;
const NODES = 68;

/**
 * Writes one batch as an Arrow IPC message. For one table all messages have the same shape and
 * differ in counts alone, so they are laid out here by hand: the library builds the schema anew
 * and hundreds of objects for each, which at two flushes a second was most of the recorder's work.
 *
 * The layout is a flatbuffer: a table points back to its vtable, which tells where fields lie.
 */
function encodeBatch(spec: TableSpec, batch: Batch): Uint8Array {
  const parts = spec.columns.map((column, i) => columnParts(column, batch.columns[i]!));
  const buffers = parts.flatMap((part) => part.buffers);
  const buffersAt = NODES + 4 + 16 * parts.length + 4;
  const metadataLength = buffersAt + 4 + 16 * buffers.length;
  const bodyAt = PREFIX + metadataLength;
  const bodyLength = buffers.reduce((sum, buffer) => sum + pad8(buffer.byteLength), 0);
  const bytes = new Uint8Array(bodyAt + bodyLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, metadataLength, true);
  writeFrame(new DataView(bytes.buffer, PREFIX), buffersAt);
  const long = (at: number, value: number) => setLong(view, PREFIX + at, value);
  long(BODY_LENGTH, bodyLength);
  long(ROWS, batch.rows);

  view.setUint32(PREFIX + NODES, parts.length, true);
  for (const [i, part] of parts.entries()) {
    long(NODES + 4 + 16 * i, batch.rows);
    long(NODES + 12 + 16 * i, part.nulls);
  }
  view.setUint32(PREFIX + buffersAt, buffers.length, true);
  let offset = 0;
  for (const [i, buffer] of buffers.entries()) {
    long(buffersAt + 4 + 16 * i, offset);
    long(buffersAt + 12 + 16 * i, buffer.byteLength);
    bytes.set(buffer, bodyAt + offset);
    offset += pad8(buffer.byteLength);
  }
  return bytes;
}

/** What is the same in all messages: the root, a Message, and the RecordBatch within. */
function writeFrame(view: DataView, buffersAt: number): void {
  const u16s = (at: number, values: number[]) => {
    for (const [i, value] of values.entries()) view.setUint16(at + 2 * i, value, true);
  };
  view.setUint32(0, MESSAGE, true);
  // A vtable: its size, its table's size, then where version, header type, header, length lie.
  u16s(4, [12, 20, 4, 6, 16, 8]);
  view.setInt32(MESSAGE, MESSAGE - 4, true);
  view.setInt16(MESSAGE + 4, METADATA_V5, true);
  view.setUint8(MESSAGE + 6, RECORD_BATCH);
  view.setUint32(HEADER, BATCH - HEADER, true);
  // length, nodes, buffers
  u16s(36, [10, 20, 8, 4, 16]);
  view.setInt32(BATCH, BATCH - 36, true);
  view.setUint32(BATCH + 4, NODES - (BATCH + 4), true);
  view.setUint32(BATCH + 16, buffersAt - (BATCH + 16), true);
}

interface ColumnParts {
  readonly nulls: number;
  /** Validity bits (empty when nothing is missing), for text the offsets, then the values. */
  readonly buffers: readonly Uint8Array[];
}

const NONE = new Uint8Array();

function columnParts(spec: ColumnSpec, column: ColumnData): ColumnParts {
  if (Array.isArray(column)) return textParts(column);
  const values = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  const nulls = spec.type === 'f64' ? countNulls(column as Float64Array) : 0;
  const valid = nulls > 0 ? validity(column as Float64Array) : NONE;
  return { nulls, buffers: [valid, values] };
}

function textParts(texts: readonly string[]): ColumnParts {
  const encoder = new TextEncoder();
  const encoded = texts.map((text) => encoder.encode(text));
  const offsets = new Int32Array(texts.length + 1);
  for (const [i, { length }] of encoded.entries()) offsets[i + 1] = offsets[i]! + length;
  const values = new Uint8Array(offsets[texts.length]!);
  for (const [i, text] of encoded.entries()) values.set(text, offsets[i]);
  return { nulls: 0, buffers: [NONE, new Uint8Array(offsets.buffer), values] };
}

function countNulls(values: Float64Array): number {
  let nulls = 0;
  for (let row = 0; row < values.length; row++) if (Number.isNaN(values[row])) nulls++;
  return nulls;
}

function validity(values: Float64Array): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(values.length / 8));
  for (let row = 0; row < values.length; row++) {
    if (!Number.isNaN(values[row]!)) bitmap[row >> 3]! |= 1 << (row & 7);
  }
  return bitmap;
}

const pad8 = (bytes: number) => Math.ceil(bytes / 8) * 8;

function setLong(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}
