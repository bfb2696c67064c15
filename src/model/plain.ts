import type { RecordingBuilder } from './builder.ts';
import type { Cell, ColumnData } from './column-data.ts';
import type { Recording } from './recording.ts';
import { type ColumnSpec, TABLES, type TableName, type TableSpec, tableSpec } from './schema.ts';

/**
 * Tables as other tools want them: on their own, with texts where a recording has ids into its
 * `strings` table, which is therefore no table to export.
 */

export const PLAIN_TABLES: readonly TableName[] = [
  'host',
  ...(Object.keys(TABLES) as TableName[]).filter((name) => name !== 'strings'),
];

export function isPlainTable(name: string): name is TableName {
  return (PLAIN_TABLES as readonly string[]).includes(name);
}

/** The same table with columns of text. */
export function plainSpec(spec: TableSpec): TableSpec {
  return {
    ...spec,
    columns: spec.columns.map((c) => (isText(c) ? { ...c, type: 'utf8', unit: '' } : c)),
  };
}

export function isText(column: ColumnSpec): boolean {
  return column.unit === 'string' || column.type === 'utf8';
}

/** A column with texts for ids. */
export function plainColumn(
  recording: Recording,
  table: TableName,
  column: ColumnSpec,
): ColumnData {
  const data = recording.table(table).column(column);
  return isText(column) && data instanceof Uint32Array
    ? Array.from(data, (id) => recording.text(id))
    : data;
}

/**
 * The spec of the table that has these columns and no others, in any order; a file of an earlier version
 * lacks those that came later. `rename` is the format's.
 */
export function recogniseTable(
  names: readonly string[],
  rename: (column: ColumnSpec) => string,
): TableSpec | null {
  if (new Set(names).size !== names.length) return null;
  const fits = (spec: TableSpec) =>
    spec.columns.filter((column) => names.includes(rename(column))).length === names.length &&
    spec.columns.every((column) => column.since || names.includes(rename(column)));
  for (const name of PLAIN_TABLES.filter((table) => table !== 'host')) {
    const spec = tableSpec(name);
    if (fits(spec)) return spec;
  }
  const own = tableSpec('host').columns.map(rename);
  const host = tableSpec(
    'host',
    names.filter((name) => !own.includes(name)),
  );
  return fits(host) ? host : null;
}

/** Appends rows to a builder's table: cells in the order of the spec, texts as text. */
export function plainRows(
  builder: RecordingBuilder,
  spec: TableSpec,
): (cells: readonly Cell[]) => void {
  const fields = spec.columns.map((column) => column.name);
  const texts = spec.columns.map(isText);
  const buffer = builder.table(spec.name as TableName, fields);
  return (cells) =>
    buffer.push(
      cells.map((cell, i) => (texts[i] && typeof cell === 'string' ? builder.intern(cell) : cell)),
    );
}
