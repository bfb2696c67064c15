import { closeSync, fsyncSync, mkdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { asUserError } from '../../model/disk/files.ts';
import { createAnew } from '../../model/disk/regular-files.ts';
import type { StoreBatch, StoreValues } from '../batch.ts';
import { isNullable, type StoreColumn, type StoreTable } from '../schema.ts';

/**
 * One Parquet file, a row group for each batch, each on the disk before the next is made. It is there as a whole or not
 * at all: a footer comes last, and until then it has another name. Returns its size.
 */
export function writeParquet(
  path: string,
  table: StoreTable,
  batches: Iterable<StoreBatch>,
): { readonly rows: number; readonly bytes: number } {
  const part = `${path}.part`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const fd = createAnew(part);
    try {
      const written = writeTo(fd, table, batches);
      fsyncSync(fd);
      renameSync(part, path);
      return written;
    } catch (error) {
      rmSync(part, { force: true });
      throw error;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw asUserError(path, error, 'write');
  }
}

function writeTo(fd: number, table: StoreTable, batches: Iterable<StoreBatch>) {
  const bytes = new ByteWriter();
  const flush = () => {
    const ready = bytes.getBytes();
    for (let done = 0; done < ready.length; ) done += writeSync(fd, ready, done);
    bytes.index = 0;
  };
  // Snappy: what is called ZSTD in this library is written as it is unless one brings a compressor.
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(table),
    codec: 'SNAPPY',
    kvMetadata: [{ key: 'highwater.table', value: table.name }],
  });
  let rows = 0;
  for (const batch of batches) {
    const columnData = table.columns.map((column, i) => ({
      name: column.name,
      data: dataOf(column, batch.columns[i]!),
      // Moments of one series follow each other at much the same distance.
      ...(column.type === 'time' && isSteady(table, column) && { encoding: DELTA }),
    }));
    writer.write({ columnData, rowGroupSize: Math.max(1, batch.rows) });
    rows += batch.rows;
    flush();
  }
  writer.finish();
  flush();
  return { rows, bytes: bytes.offset };
}

const DELTA = 'DELTA_BINARY_PACKED' as const;
const isSteady = (table: StoreTable, column: StoreColumn) =>
  !isNullable(table, column) && column.name !== 'started';

function schemaOf(table: StoreTable): SchemaElement[] {
  return [
    { name: 'root', num_children: table.columns.length },
    ...table.columns.map((column): SchemaElement => {
      const { name, type } = column;
      const repetition_type = isNullable(table, column) ? 'OPTIONAL' : 'REQUIRED';
      return { name, repetition_type, ...TYPES[type] };
    }),
  ];
}

const TYPES: Readonly<Record<StoreColumn['type'], Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int: { type: 'INT64' },
  float: { type: 'DOUBLE' },
  bool: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

function dataOf({ type }: StoreColumn, values: StoreValues): unknown[] {
  if (type === 'text') return values as string[];
  const of = PLAIN[type];
  return Array.from(values as Float64Array, (value) => (Number.isNaN(value) ? null : of(value)));
}

const PLAIN = {
  int: (value: number) => BigInt(value),
  time: (value: number) => BigInt(value),
  float: (value: number) => value,
  bool: (value: number) => value !== 0,
};
