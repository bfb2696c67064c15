import type { Recording } from '../../src/model/recording.ts';
import type { TableName } from '../../src/model/schema.ts';
import type { Table } from '../../src/model/table.ts';

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
