import type { RecordingBuilder } from '../../src/model/builder.ts';
import type { Cell } from '../../src/model/column-data.ts';
import { isText } from '../../src/model/plain.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { TableName, TableSpec } from '../../src/model/schema.ts';
import type { Table } from '../../src/model/table.ts';

/** Cells by the names of their columns. */
export type NamedCells = Readonly<Record<string, Cell | undefined>>;

/** Cells in the order of the columns; null where none is named. */
export function inOrder(spec: TableSpec, named: NamedCells): Cell[] {
  const names = spec.columns.map(({ name }) => name);
  const unknown = Object.keys(named).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`table ${spec.name} has no column ${unknown[0]}`);
  return names.map((name) => named[name] ?? null);
}

/** Adds a row: texts as they are, an empty one where none is named, all other cells null. */
export function addRow(builder: RecordingBuilder, table: TableName, named: NamedCells): void {
  const buffer = builder.table(table);
  const cells = inOrder(buffer.spec, named);
  for (const [i, column] of buffer.spec.columns.entries()) {
    const cell = cells[i] ?? '';
    if (isText(column) && typeof cell === 'string') cells[i] = builder.intern(cell);
  }
  buffer.push(cells);
}

/** Every row of a table as one comparable text; NaN shows as null. */
export function rowTexts(table: Table): string[] {
  const columns = table.spec.columns.map((column) => table.column(column));
  return Array.from({ length: table.rows }, (_, row) =>
    JSON.stringify(
      columns.map((column) => column[row]!),
      (_, value) => (typeof value === 'bigint' ? `${value}n` : value),
    ),
  );
}

export function allRows(recording: Recording): Map<TableName, string[]> {
  return new Map(recording.tables.map((name) => [name, rowTexts(recording.table(name))]));
}

/** Whether `part` is `whole` with rows left out: nothing changed, added, repeated or moved. */
export function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const row of part) {
    at = whole.indexOf(row, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
