import type { Cell } from '../../analyses/cells.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { bytesOr, NONE, type TextTable } from '../table.ts';

const MOST_CELLS = 20;

/** The cells of a notebook in their order; of many, those that took or left most. */
export function cellRows({ cells }: Report): TextTable {
  const shown = new Set([...cells].sort((a, b) => weight(b) - weight(a)).slice(0, MOST_CELLS));
  const devices = [...new Set(cells.flatMap(({ cards }) => cards.map(({ device }) => device)))];
  const hidden = cells.length - shown.size;
  const many = new Set(cells.map(({ pid }) => pid)).size > 1;
  return {
    head: [
      'cell',
      ...(many ? ['kernel'] : []),
      'took',
      'before',
      'peak',
      'left',
      ...devices.map((device) => `cuda:${device} left`),
      '',
    ],
    body: cells
      .filter((cell) => shown.has(cell))
      .map((cell) => [
        printable(cell.name),
        ...(many ? [`pid ${cell.pid}`] : []),
        cell.endSeconds === null ? NONE : formatDuration(cell.endSeconds - cell.startSeconds),
        bytesOr(cell.beforeBytes),
        bytesOr(cell.peakBytes),
        change(cell.beforeBytes, cell.afterBytes),
        ...devices.map((device) => {
          const card = cell.cards.find((one) => one.device === device);
          return card ? change(card.beforeBytes ?? 0, card.afterBytes) : NONE;
        }),
        cell.failed ? 'failed' : cell.endSeconds === null ? 'still ran' : '',
      ]),
    right: new Set(Array.from({ length: 5 + devices.length }, (_, column) => column + 1)),
    rest: hidden > 0 ? `and ${count(hidden, 'cell')} that took and left less` : null,
  };
}

const weight = ({ beforeBytes, peakBytes, afterBytes }: Cell) =>
  Math.max((peakBytes ?? 0) - (beforeBytes ?? 0), Math.abs((afterBytes ?? 0) - (beforeBytes ?? 0)));

function change(before: number | null, after: number | null): string {
  if (before === null || after === null) return NONE;
  const bytes = after - before;
  return `${bytes < 0 ? '−' : '+'}${formatBytes(Math.abs(bytes))}`;
}
