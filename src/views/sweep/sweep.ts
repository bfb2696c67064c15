import type { Spread, Sweep, SweepRow } from '../../analyses/sweep/index.ts';
import { formatMiB } from '../../base/bytes.ts';
import { alignColumns, count, ellipsize, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { verdictSentence } from '../../model/verdict.ts';
import { escapeMarkdown, markdownList, markdownTable } from '../markdown-parts.ts';
import { NONE, type TextTable } from '../table.ts';

/** A sweep's table, for a terminal. */
export function sweepText(sweep: Sweep): string {
  const { head, body, right } = sweepRows(sweep);
  const table = alignColumns([head, ...body], right).map((line) => `  ${line}`);
  const rest = sweepRemarks(sweep).map((text) => `  ${printable(text)}`);
  const blocks = [[printable(sweepSentence(sweep))], table, rest].filter((b) => b.length > 0);
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The same for an issue, a pull request or a wiki. */
export function sweepMarkdown(sweep: Sweep): string {
  const blocks = [`**${escapeMarkdown(sweepSentence(sweep))}**`, markdownTable(sweepRows(sweep))];
  return `${[...blocks, markdownList(sweepRemarks(sweep))].filter(Boolean).join('\n\n')}\n`;
}

/** The answer in one line. */
export const sweepSentence = ({ verdict }: Sweep): string => verdictSentence(verdict);

/** A line each combination, in the order of the grid. Columns without anything to say are left out. */
function sweepRows(sweep: Sweep): TextTable {
  const columns = COLUMNS.filter((column) => !column.when || column.when(sweep));
  const names = sweep.params.map((param) => param.name);
  return {
    head: [...names, ...columns.map((column) => column.head)].map(printable),
    body: sweep.combinations.map((row) => [
      ...names.map((name) => ellipsize(printable(row.params[name] ?? ''), 40)),
      ...columns.map((column) => printable(column.cell(row, sweep))),
    ]),
    right: new Set(columns.flatMap((column, i) => (column.text ? [] : [names.length + i]))),
    rest: null,
  };
}

interface Column {
  readonly head: string;
  readonly cell: (row: SweepRow, sweep: Sweep) => string;
  readonly text?: true;
  readonly when?: (sweep: Sweep) => boolean;
}

const repeated = (sweep: Sweep) => sweep.repeat > 1;
const COLUMNS: readonly Column[] = [
  { head: 'peak', cell: (row) => meanOr(row.peakBytes, formatMiB) },
  {
    head: 'from – to',
    cell: ({ peakBytes }) =>
      peakBytes === null ? NONE : `${formatMiB(peakBytes.min)} – ${formatMiB(peakBytes.max)}`,
    when: repeated,
  },
  { head: 'above baseline', cell: (row) => meanOr(row.peakAboveBaselineBytes, formatMiB) },
  { head: 'above lowest', cell: aboveLowest, when: repeated },
  { head: 'duration', cell: (row) => meanOr(row.durationSeconds, formatDuration) },
  ...(['topsize', 'code', 'simsize', 'wtsize'] as const).map(
    (key): Column => ({
      head: key,
      cell: ({ sizes }) => (sizes ? formatMiB(sizes[key]) : NONE),
      when: (sweep) => sweep.combinations.some((row) => row.sizes),
    }),
  ),
  { head: 'exit', text: true, cell: exitWords },
];

const meanOr = (spread: Spread | null, format: (value: number) => string) =>
  spread === null ? NONE : format(spread.mean);

export function aboveLowest(row: SweepRow, { differences }: Sweep): string {
  const lowest = differences[0]?.a;
  if (row.name === lowest) return 'lowest';
  const pair = differences.find(({ a, b }) => a === lowest && b === row.name);
  if (!pair) return NONE;
  return `${pair.withinNoise ? '≈ ' : '+'}${formatMiB(pair.bytes)}`;
}

const WORDS = { waiting: 'not run', running: 'not ended', interrupted: 'interrupted' } as const;

/** How its runs ended, in few words; the reason of a failure stands below the table. */
export function exitWords({ runs }: SweepRow): string {
  const words = runs.map((run) => {
    if (run.state === 'done') return run.reason ? 'ended as asked' : 'ok';
    if (run.state !== 'failed') return WORDS[run.state];
    return run.signal ?? (run.exitCode === null ? 'failed' : `code ${run.exitCode}`);
  });
  const kinds = [...new Set(words)];
  if (kinds.length === 1) return kinds[0]!;
  return kinds.map((kind) => `${words.filter((word) => word === kind).length} ${kind}`).join(', ');
}

const MOST_NOTES = 8;

export function sweepRemarks(sweep: Sweep): string[] {
  const failures = failureSentences(sweep);
  const notes = [...failures, ...sweep.notes];
  const more = notes.length - MOST_NOTES;
  return [
    ...noiseSentences(sweep),
    ...notes.slice(0, MOST_NOTES),
    ...(more > 0 ? [`and ${count(more, 'more note')}; --json has them all`] : []),
  ];
}

/** Runs that failed for the same reason share a line. */
function failureSentences({ combinations }: Sweep): string[] {
  const byReason = new Map<string, string[]>();
  for (const { name, runs } of combinations) {
    for (const { state, reason, repeat } of runs) {
      if (state !== 'failed') continue;
      const who = repeat > 1 ? `${name} #${repeat}` : name;
      byReason.set(reason ?? '', [...(byReason.get(reason ?? '') ?? []), who]);
    }
  }
  return [...byReason].map(([reason, who]) => {
    const more = who.length > 4 ? ` and ${who.length - 4} more` : '';
    return `failed: ${who.slice(0, 4).join(', ')}${more}: ${reason}`;
  });
}

const MOST_PAIRS = 6;

/** Which differences mean nothing; nothing is said where each combination ran but once. */
function noiseSentences({ differences, repeat }: Sweep): string[] {
  const judged = differences.filter((pair) => pair.withinNoise !== null);
  if (repeat < 2 || judged.length === 0) return [];
  const noise = judged.filter((pair) => pair.withinNoise);
  if (noise.length === 0) return ['Every difference is larger than the noise between repeats.'];
  // Then the headline has said so.
  if (noise.length === judged.length) return [];
  const pairs = noise
    .slice(0, MOST_PAIRS)
    .map((pair) => `${pair.a} and ${pair.b} (${formatMiB(pair.bytes)})`);
  const more = noise.length > MOST_PAIRS ? `, and ${noise.length - MOST_PAIRS} more` : '';
  return [`Within noise (≈), so not to be told apart: ${pairs.join('; ')}${more}.`];
}
