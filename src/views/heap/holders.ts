import type { HeapHolders } from '../../analyses/heap/holders.ts';
import { printable } from '../../base/text.ts';
import { moreRows, wholePercent } from './heapy-table.ts';

/** The objects that keep most alive, with a way to each. */
export function holdersText({ rows, heapSize, numRows, from }: HeapHolders): string {
  const lines = [' Index  Retained   %     Size Object'];
  for (const { index, retained, size, brief, path } of rows) {
    const percent = String(wholePercent(retained, heapSize)).padStart(3);
    const cells = [
      String(index).padStart(6),
      String(retained).padStart(9),
      percent,
      String(size).padStart(8),
    ];
    lines.push(`${cells.join(' ')} ${printable(brief)}`);
    lines.push(`${' '.repeat(30)}${path === null ? 'no root leads to it' : printable(path)}`);
  }
  lines.push(...moreRows(numRows - from - rows.length));
  return `${lines.join('\n')}\n`;
}
