import type { HeapTable, TableRow } from '../../analyses/heap/table.ts';
import { printable } from '../../base/text.ts';
import { moreRows, wholePercent, wrapLine } from './heapy-table.ts';

const HEADER = ' Index  Count   %     Size   % Cumulative  % ';
const RETAINED_HEADER = ' Index  Count   %     Size   % Cumulative  %  Retained   % ';
const ID_HEADER = ' Index     Size   %   Cumulative  %   ';

const right = (value: number | string, width: number) => String(value).padStart(width);

/** Heapy's table, column for column. `label`: with the line above it, which `more` does not repeat. */
export function partitionText(table: HeapTable, label = true): string {
  const lines: string[] = label ? [labelOf(table)] : [];
  if (table.count > 0) {
    const head = headOf(table);
    lines.push(...wrapLine(`${head}${table.header}`, head.length));
    for (const row of table.rows) {
      const start = rowStart(table, row);
      lines.push(...wrapLine(`${start}${printable(row.kind)}`, start.length));
    }
    const last = table.rows.at(-1)?.index ?? -1;
    lines.push(...moreRows(table.numRows - (last + 1)));
  }
  return `${lines.join('\n')}\n`;
}

function labelOf({ by, count, size, kindName }: HeapTable): string {
  const objects = `object${count === 1 ? '' : 's'}`;
  const set =
    by === 'id'
      ? `Set of ${count} ${printable(kindName)} ${objects}`
      : `Partition of a set of ${count} ${objects}`;
  return `${set}. Total size = ${size} bytes.`;
}

function headOf({ by, rows }: HeapTable): string {
  if (by === 'id') return ID_HEADER;
  return rows.some(({ retained }) => retained !== null) ? RETAINED_HEADER : HEADER;
}

function rowStart({ by, count, size }: HeapTable, row: TableRow): string {
  const index = right(row.index, 6);
  if (by === 'id') {
    const share = (bytes: number) => right((size === 0 ? 0 : (bytes * 100) / size).toFixed(1), 5);
    return `${index} ${right(row.size, 8)} ${share(row.size)} ${right(row.cumulative, 9)} ${share(row.cumulative)} `;
  }
  const percent = (part: number, whole: number) => right(wholePercent(part, whole), 3);
  const cells = [
    index,
    right(row.count, 6),
    percent(row.count, count),
    right(row.size, 8),
    percent(row.size, size),
    right(row.cumulative, 9),
    percent(row.cumulative, size),
    ...(row.retained === null ? [] : [right(row.retained, 9), percent(row.retained, size)]),
  ];
  return `${cells.join(' ')} `;
}
