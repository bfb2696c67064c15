import type { StatDifference } from '../../analyses/heap/stat.ts';
import { printable } from '../../base/text.ts';
import { moreRows, wrapLine } from './heapy-table.ts';

const HEADER = ' Index  Count     Size  Cumulative  % of B ';

/** Two heaps by kind, as Heapy prints the difference of two `.stat`s. */
export function differenceText(difference: StatDifference, from = 0, limit = 10): string {
  const { a, b, rows, header } = difference;
  const numbers = (count: number, size: number) =>
    `${String(count).padStart(6)} ${String(size).padStart(8)}`;
  const lines: string[] = [];
  if (from === 0) {
    const change = { count: a.count - b.count, size: a.size - b.size };
    lines.push(
      'Summary of difference operation (A-B).',
      '        Count     Size',
      `  A    ${numbers(a.count, a.size)}`,
      `  B    ${numbers(b.count, b.size)}`,
      `  A-B  ${numbers(change.count, change.size)}  = ${ofB(change.size, b.size)} % of B`,
      '',
    );
    if (rows.length > 0) lines.push('Differences by kind, largest absolute size diffs first.');
  }
  if (rows.length > 0) lines.push(...wrapLine(`${HEADER}${header}`, HEADER.length));
  const to = rows.length - from === limit + 1 ? rows.length : Math.min(rows.length, from + limit);
  let cumulative = rows.slice(0, from).reduce((sum, { size }) => sum + size, 0);
  rows.slice(from, to).forEach(({ count, size, kind }, i) => {
    cumulative += size;
    const cells = [from + i, count, size, cumulative].map((value, at) =>
      String(value).padStart([6, 6, 8, 9][at]!),
    );
    const start = `${cells.join(' ')} ${ofB(cumulative, b.size)} `;
    lines.push(...wrapLine(`${start}${printable(kind)}`, start.length));
  });
  lines.push(...moreRows(rows.length - to));
  return `${lines.join('\n')}\n`;
}

/** Three significant digits in nine columns, as C's `%9.3g`. */
function ofB(size: number, whole: number): string {
  if (whole === 0) return '   (n.a.)';
  const value = (size * 100) / whole;
  if (value === 0) return '0'.padStart(9);
  const exponent = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(3)))));
  if (exponent < -4 || exponent >= 3) {
    const [digits, power] = value.toExponential(2).split('e') as [string, string];
    const sign = power.startsWith('-') ? '-' : '+';
    const short = digits.replace(/\.?0+$/, '');
    return `${short}e${sign}${power.replace(/^[+-]/, '').padStart(2, '0')}`.padStart(9);
  }
  return String(Number(value.toPrecision(3))).padStart(9);
}
