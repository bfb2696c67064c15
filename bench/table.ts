import { alignColumns, ellipsize } from '../src/base/text.ts';
import type { Row } from './result.ts';

/** What one benchmark found, or why it did not get to its end. */
export interface Outcome {
  readonly name: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly failure?: string;
}

const HEADER = ['what', 'Highwater', 'peer', 'peer’s', 'ratio', 'limit', ''];

export function formatTable(rows: readonly Row[]): string {
  return aligned([HEADER, ...rows.map(cells)]);
}

/** The one table of a whole run: what is held against a peer or a limit. The rest is detail. */
export function formatSummary(outcomes: readonly Outcome[]): string {
  return aligned([['benchmark', ...HEADER], ...summary(outcomes)]);
}

/** The same for docs/benchmarks.md. */
export function formatMarkdown(outcomes: readonly Outcome[]): string {
  const header = ['benchmark', ...HEADER];
  const rows = [header, header.map(() => '---'), ...summary(outcomes)];
  return rows.map((row) => `| ${row.map(escaped).join(' | ')} |`).join('\n');
}

const summary = (outcomes: readonly Outcome[]) =>
  outcomes.flatMap(({ name, rows, failure }) => [
    ...rows.filter(compared).map((row) => [name, ...cells(row)]),
    ...(failure === undefined
      ? []
      : [[name, ellipsize(`failed: ${failure}`, 60), '', '', '', '', '', 'FAILED']]),
  ]);

const compared = (row: Row) => row.peer !== undefined || row.pass !== undefined;

function cells(row: Row): string[] {
  const { what, figure, peer = '', theirs = '', limit = '' } = row;
  return [what, figure, peer, theirs, ratioOf(row), limit, verdict(row)];
}

function ratioOf({ ratio, within }: Row): string {
  if (ratio === undefined) return '';
  const digits = ratio < 1.1 ? 3 : 2;
  const interval = within?.map((end) => end.toFixed(digits)).join('–');
  return ratio.toFixed(digits) + (interval === undefined ? '' : ` (${interval})`);
}

function verdict({ pass }: Row): string {
  if (pass === undefined) return '';
  if (pass === null) return 'cannot tell';
  return pass ? 'PASS' : 'FAIL';
}

const aligned = (rows: readonly string[][]) => alignColumns(rows).join('\n');

const escaped = (cell: string) => cell.replaceAll('|', '\\|');
