import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asUserError } from '../../model/disk/files.ts';
import { rowsOf } from '../rows/index.ts';
import { STORE_TABLES, type StoreTable } from '../schema.ts';
import type { StoredRun } from '../stored-run.ts';
import { writeParquet } from './file.ts';

/** Nobody ran then, so nobody's rows are beside it. */
const NO_MONTH = '1970-01';

/**
 * Writes a run into a folder of Parquet files, `TABLE/month=2026-11/RUN.parquet`, as engines expect parts of a table: many
 * runs lie side by side, a run that is written again is replaced, and what is old goes with its month.
 */
export function writeRun(
  folder: string,
  run: StoredRun,
): { readonly rows: number; readonly bytes: number } {
  const sums = { rows: 0, bytes: 0 };
  for (const table of STORE_TABLES) {
    const path = join(folder, table.name, `month=${monthOf(run)}`, `${run.id}.parquet`);
    const batches = rowsOf(run, table)[Symbol.iterator]();
    const first = batches.next();
    if (first.done) {
      rmSync(path, { force: true });
      continue;
    }
    const { rows, bytes } = writeParquet(path, table, follow(first.value, batches));
    sums.rows += rows;
    sums.bytes += bytes;
  }
  return sums;
}

function* follow<T>(first: T, rest: Iterator<T>): Generator<T> {
  yield first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}

const monthOf = ({ startedUs }: StoredRun): string =>
  new Date(startedUs / 1000).toISOString().slice(0, 7);

/**
 * What lets engines read the folder before any run has rows for a table: an empty file of each, and views for DuckDB
 * with the names that questions use.
 */
export function prepareFolder(folder: string): void {
  for (const table of STORE_TABLES) {
    const path = join(folder, table.name, `month=${NO_MONTH}`, 'empty.parquet');
    if (!existsSync(path)) writeParquet(path, table, []);
  }
  const path = join(folder, 'views.sql');
  try {
    writeFileSync(path, VIEWS);
  } catch (error) {
    throw asUserError(path, error, 'write');
  }
}

const view = ({ name }: StoreTable) =>
  `CREATE OR REPLACE VIEW ${name} AS SELECT * EXCLUDE (month) FROM read_parquet('${name}/*/*.parquet', hive_partitioning = true);\n`;

const VIEWS = `-- In this folder: duckdb -init views.sql
${STORE_TABLES.map(view).join('')}`;
