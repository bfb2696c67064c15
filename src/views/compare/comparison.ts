import type { ComparedRun, Comparison, Difference } from '../../analyses/compare/index.ts';
import type { LayerDifference, LayerPair } from '../../analyses/layers/difference.ts';
import { formatDelta, formatMiB } from '../../base/bytes.ts';
import { alignColumns, count, ellipsize, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { kindName } from '../../model/memory-kinds.ts';
import { verdictSentence } from '../../model/verdict.ts';
import { escapeMarkdown, markdownList, markdownTable } from '../markdown-parts.ts';
import { whenWords } from '../report/layers.ts';
import { rankNotes } from '../report/ranks.ts';
import { bytesOr, NONE, type TableSection, type TextTable } from '../table.ts';
import { allocationSections, allocationSentences } from './allocation-diff.ts';
import { liveStacksSections, liveStacksSentences } from './live-stacks-diff.ts';

/** Runs side by side, for a terminal. */
export function comparisonText(comparison: Comparison): string {
  const table = ({ head, body, right, rest }: TextTable) =>
    [...alignColumns([head, ...body], right), ...(rest ? [rest] : [])].map((line) => `  ${line}`);
  const blocks = [comparisonSentences(comparison).map(printable)];
  for (const rows of [runRows(comparison), differenceRows(comparison)]) {
    if (rows.body.length > 0) blocks.push(table(rows));
  }
  for (const { title, rows } of comparisonSections(comparison))
    blocks.push([title, ...table(rows)]);
  // What was skipped is said on the error stream, where it is also seen when this goes to a file.
  const rest = notesOf(comparison).map((text) => `  ${printable(text)}`);
  if (rest.length > 0) blocks.push(rest);
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The same for an issue, a pull request or a wiki. */
export function comparisonMarkdown(comparison: Comparison): string {
  const blocks = comparisonSentences(comparison).map((text) => `**${escapeMarkdown(text)}**`);
  blocks.push(markdownTable(runRows(comparison)), markdownTable(differenceRows(comparison)));
  for (const { title, rows } of comparisonSections(comparison)) {
    blocks.push(`### ${escapeMarkdown(title)}`, markdownTable(rows));
  }
  const skipped = comparison.skipped.map(({ name, reason }) => `skipped: ${name}: ${reason}`);
  blocks.push(markdownList([...skipped, ...notesOf(comparison)]));
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/** What layers and allocation traces say, a table each. */
export const comparisonSections = ({ allocations, layers, liveStacks }: Comparison) => [
  ...layerDifferenceSections(layers),
  ...liveStacksSections(liveStacks),
  ...(allocations ? allocationSections(allocations) : []),
];
const notesOf = ({ notes, allocations, ranks }: Comparison) => [
  ...(ranks ? rankNotes({ ranks }) : []),
  ...notes,
  ...(allocations?.notes ?? []),
];

/** The answers: of what was sampled, and of allocation traces. */
export function comparisonSentences(comparison: Comparison): string[] {
  const { runs, allocations, liveStacks, verdict } = comparison;
  const others = [
    ...(allocations ? allocationSentences(allocations) : []),
    ...liveStacksSentences(liveStacks),
  ];
  return runs.length > 0 || others.length === 0 ? [verdictSentence(verdict), ...others] : others;
}

/** A line each run, the highest peak first. Columns without anything to say are left out. */
function runRows(comparison: Comparison): TextTable {
  const runs = byPeak(comparison.runs);
  const columns = COLUMNS.filter((column) => !column.when || column.when(runs, comparison));
  return {
    head: columns.map((column) => column.head),
    body: runs.map((run) => columns.map((column) => printable(column.cell(run)))),
    right: new Set(columns.flatMap((column, i) => (column.text ? [] : [i]))),
    rest: null,
  };
}

interface Column {
  readonly head: string;
  readonly cell: (run: ComparedRun) => string;
  readonly text?: true;
  readonly when?: (runs: readonly ComparedRun[], comparison: Comparison) => boolean;
}

const COLUMNS: readonly Column[] = [
  { head: 'run', text: true, cell: (run) => run.name },
  { head: 'series', text: true, cell: (run) => run.series, when: (_, c) => c.series === null },
  { head: 'peak', cell: (run) => formatMiB(run.peakBytes) },
  {
    head: 'above baseline',
    cell: (run) => formatMiB(run.peakAboveBaselineBytes),
    when: (runs) => runs.some((run) => run.baselineBytes > 0),
  },
  {
    head: 'times lowest',
    cell: (run) => (run.timesLowest === null ? NONE : formatTimes(run.timesLowest)),
    when: (runs) => runs.length > 1 && runs.some((run) => run.timesLowest !== null),
  },
  { head: 'at', cell: (run) => formatDuration(run.peakSeconds) },
  { head: 'duration', cell: (run) => formatDuration(run.durationSeconds) },
  {
    head: 'an iteration',
    cell: (run) => (run.secondsPerIteration === null ? NONE : formatStep(run.secondsPerIteration)),
    when: (runs) => runs.some((run) => run.secondsPerIteration !== null),
  },
  { head: 'samples', cell: (run) => String(run.samples) },
  {
    head: 'every',
    cell: (run) => (run.intervalSeconds === null ? NONE : formatStep(run.intervalSeconds)),
  },
  {
    head: 'exit',
    text: true,
    cell: exitWords,
    when: (runs) => runs.some((run) => run.exit.how !== 'imported'),
  },
];

/** Pairs in words where they are few or were asked for; the JSON has them all. */
function differenceRows({ runs, differences }: Comparison): TextTable {
  const [first] = differences;
  const told = first !== undefined && (runs.length === 2 || againstOne(differences));
  return {
    head: ['difference', 'peak', 'above baseline', 'ratio of peaks', 'duration'],
    body: (told ? differences : []).map((pair) => [
      printable(`${pair.b} − ${pair.a}`),
      signed(pair.peakBytes),
      signed(pair.peakAboveBaselineBytes),
      pair.peakRatio === null ? NONE : formatTimes(pair.peakRatio),
      `${pair.durationSeconds < 0 ? '' : '+'}${formatDuration(pair.durationSeconds)}`,
    ]),
    right: new Set([1, 2, 3, 4]),
    rest: null,
  };
}

const againstOne = (differences: readonly Difference[]) =>
  new Set(differences.map((pair) => pair.a)).size === 1 && differences.length > 1;

export function exitWords({ exit }: ComparedRun): string {
  if (exit.how === 'imported' || exit.how === 'watched') return NONE;
  if (exit.oomKilled) return 'out of memory';
  if (exit.signal) return `signal ${exit.signal}`;
  return exit.code === null ? 'not seen' : `code ${exit.code}`;
}

const byPeak = (runs: readonly ComparedRun[]) =>
  [...runs].sort((a, b) => b.peakAboveBaselineBytes - a.peakAboveBaselineBytes);
const signed = (bytes: number) => (bytes > 0 ? `+${formatMiB(bytes)}` : formatMiB(bytes));
export const formatTimes = (ratio: number) => `${ratio.toFixed(ratio < 10 ? 2 : 1)} ×`;
export const formatStep = (seconds: number) =>
  seconds < 1 ? `${Number((seconds * 1000).toPrecision(3))} ms` : formatDuration(seconds);

const MOST_LAYERS = 12;
const NAME_WIDTH = 48;

/** What two runs' layers hold, side by side: kinds first, then the layers that changed. */
export function layerDifferenceSections(differences: readonly LayerDifference[]): TableSection[] {
  return differences.map((one) => {
    const changed = one.layers.filter(({ differenceBytes }) => differenceBytes !== 0);
    const hidden = changed.slice(MOST_LAYERS);
    const moved = hidden.reduce((sum, { differenceBytes }) => sum + differenceBytes, 0);
    const same = one.layers.length - changed.length;
    const rest = [
      ...(hidden.length > 0
        ? [`and ${count(hidden.length, 'more layer')}: ${formatDelta(moved)}`]
        : []),
      ...(same > 0 ? [`${count(same, 'layer')} the same`] : []),
    ];
    const cells = (name: string, pair: LayerPair) => [
      ellipsize(printable(name), NAME_WIDTH),
      bytesOr(pair.aBytes),
      bytesOr(pair.bBytes),
      pair.differenceBytes === 0 ? 'same' : formatDelta(pair.differenceBytes),
    ];
    const title = `Layers: ${one.b} − ${one.a} (${whenWords(one.bAt)}; ${whenWords(one.aAt)})`;
    return {
      title: printable(title),
      rows: {
        head: ['what', printable(one.a), printable(one.b), 'difference'],
        body: [
          ...one.kinds
            .filter(({ aBytes, bBytes }) => (aBytes ?? 0) + (bBytes ?? 0) > 0)
            .map((pair) => cells(`all ${kindName(pair.kind)}`, pair)),
          ...changed.slice(0, MOST_LAYERS).map((pair) => cells(pair.layer || 'in no layer', pair)),
        ],
        right: new Set([1, 2, 3]),
        rest: rest.length > 0 ? rest.join('; ') : null,
      },
    };
  });
}
