import { readFileSync, writeFileSync } from 'node:fs';
import { COMMON_LABELS, metricsTable, OWN_LABELS } from '../src/metrics/list.ts';

/**
 * Writes the table of metrics into docs/fleet.md from src/metrics/list.ts, between the two marks.
 * `npx tsx scripts/metrics-doc.ts`; a test checks that it was done.
 */
const DOCUMENT = 'docs/fleet.md';
const BEGIN = '<!-- metrics: written by scripts/metrics-doc.ts -->';
const END = '<!-- end of metrics -->';

/** The document with its table brought up to date. */
export function withMetrics(document: string): string {
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${DOCUMENT} lost its marks`);
  const labels = Object.entries({ ...COMMON_LABELS, ...OWN_LABELS }).map(
    ([label, what]) => `| \`${label}\` | ${what} |`,
  );
  const table = ['| label | what it is |', '|---|---|', ...labels, '', metricsTable()].join('\n');
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}

if (process.argv[1]?.endsWith('metrics-doc.ts')) {
  writeFileSync(DOCUMENT, withMetrics(readFileSync(DOCUMENT, 'utf8')));
}
