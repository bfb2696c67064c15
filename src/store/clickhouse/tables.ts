import type { ColumnSpec, TableSpec } from '../../model/schema.ts';
import {
  isNullable,
  STORE_TABLES,
  type StoreColumn,
  type StoreTable,
  type StoreType,
} from '../schema.ts';

/** ClickHouse's words for the tables of a store. */

const TYPES: Readonly<Record<StoreType, string>> = {
  text: 'String',
  int: 'Int64',
  float: 'Float64',
  bool: 'Bool',
  time: "DateTime64(6, 'UTC')",
};

/** Rows of a series follow each other: moments at the same distance, sizes close to the last. */
const CODECS: Readonly<Partial<Record<StoreType, string>>> = {
  time: ' CODEC(DoubleDelta, ZSTD(1))',
  int: ' CODEC(T64, ZSTD(1))',
  text: ' CODEC(ZSTD(1))',
};

const typeOf = (table: StoreTable, column: StoreColumn): string =>
  isNullable(table, column) ? `Nullable(${TYPES[column.type]})` : TYPES[column.type];

const definition = (table: StoreTable, column: StoreColumn): string =>
  `${column.name} ${typeOf(table, column)}${CODECS[column.type] ?? ''}`;

/**
 * A run's rows lie side by side, in the month it started. Rows with the same key replace each other whenever parts are
 * merged, should two push the same run at once.
 */
export function createTable(database: string, table: StoreTable): string {
  const columns = table.columns.map((column) => `  ${definition(table, column)}`);
  return `CREATE TABLE IF NOT EXISTS ${database}.${table.name} (
${columns.join(',\n')}
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (${['run', ...table.key].join(', ')})`;
}

/** For tables that an earlier version made: null what their stored rows do not know. */
export const addColumn = (database: string, table: StoreTable, column: StoreColumn): string =>
  `ALTER TABLE ${database}.${table.name} ADD COLUMN IF NOT EXISTS ${definition(table, column)}`;

/** All of it, for people who make their tables themselves. */
export const allTables = (database: string): string =>
  STORE_TABLES.map((table) => `${createTable(database, table)};\n`).join('\n');

/** What a column is in the Arrow stream that is sent: our own writer has texts, and figures with nulls. */
const WIRE: Readonly<Record<'text' | 'figure', { arrow: ColumnSpec['type']; type: string }>> = {
  text: { arrow: 'utf8', type: 'String' },
  figure: { arrow: 'f64', type: 'Nullable(Float64)' },
};

const wireOf = ({ type }: StoreColumn) => WIRE[type === 'text' ? 'text' : 'figure'];

export const arrowSpec = ({ name, meaning, columns }: StoreTable): TableSpec => ({
  name,
  meaning,
  columns: columns.map((column) => ({
    name: column.name,
    type: wireOf(column).arrow,
    unit: '',
    meaning: column.meaning,
  })),
});

/** Figures of a stream are doubles, which are exact for whole ones up to 2^53: bytes, counts and microseconds. */
export function insertInto(database: string, table: StoreTable): string {
  const names = table.columns.map(({ name }) => name);
  const wire = table.columns.map((column) => `${column.name} ${wireOf(column).type}`);
  const values = table.columns.map((column) => readAs(table, column));
  return `INSERT INTO ${database}.${table.name} (${names.join(', ')}) SELECT ${values.join(', ')} FROM input('${wire.join(', ')}') FORMAT ArrowStream`;
}

function readAs(table: StoreTable, column: StoreColumn): string {
  const { name, type } = column;
  if (type === 'text') return name;
  const known = isNullable(table, column) ? name : `assumeNotNull(${name})`;
  if (type === 'time') return `fromUnixTimestamp64Micro(toInt64(${known}), 'UTC')`;
  if (type === 'float') return known;
  return `CAST(${known} AS ${typeOf(table, column)})`;
}
