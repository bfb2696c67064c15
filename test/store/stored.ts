import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { StoreTableName } from '../../src/store/schema.ts';

/** Parquet files of a table below a folder, without the empty one that every table has. */
export function filesOf(folder: string, table: StoreTableName): string[] {
  return readdirSync(join(folder, table), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet') && !name.endsWith('empty.parquet'))
    .map((name) => join(folder, table, name))
    .sort();
}

/** Its rows, as a reader that is not ours has them: integers are bigints, times are dates. */
export async function rowsIn(
  folder: string,
  table: StoreTableName,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const path of filesOf(folder, table)) {
    rows.push(...(await parquetReadObjects({ file: await asyncBufferFromFile(path) })));
  }
  return rows;
}

export const metadataOf = async (path: string) =>
  parquetMetadataAsync(await asyncBufferFromFile(path));

/** Whole bytes of each value, summed: what no rounding of a sum can hide. */
export const exactSum = (values: Iterable<number>): bigint =>
  Array.from(values, (value) => BigInt(Math.round(value))).reduce((sum, value) => sum + value, 0n);
