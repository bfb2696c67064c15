import type { WhatIfFigures } from '../analyses/allocations/what-if/answer.ts';
import type { DiesAt, WhatIfRow } from '../analyses/allocations/what-if/rows.ts';
import { formatBytes } from '../base/bytes.ts';
import { alignColumns, capitalized, count, percent, printable } from '../base/text.ts';
import { type Verdict, verdictSentence } from '../model/verdict.ts';
import { escapeMarkdown, markdownList, markdownTable } from './markdown-parts.ts';

type Answer = WhatIfFigures & { readonly verdict: Verdict };

/** Settings side by side, for a terminal. */
export function whatIfText(answer: Answer): string {
  const { head, body, right } = tableOf(answer);
  const blocks = [
    [printable(verdictSentence(answer.verdict))],
    alignColumns([head, ...body], right).map((line) => `  ${printable(line)}`),
    linesOf(answer).map((line) => `  ${printable(line)}`),
    answer.notes.map((note) => `  ${printable(capitalized(note))}.`),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** The same for an issue or a pull request. */
export function whatIfMarkdown(answer: Answer): string {
  const blocks = [
    `**${escapeMarkdown(verdictSentence(answer.verdict))}**`,
    markdownTable({ ...tableOf(answer), rest: null }),
    markdownList([...linesOf(answer), ...answer.notes.map((note) => `${capitalized(note)}.`)]),
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

function tableOf(answer: Answer) {
  const { rows } = answer;
  const limited = rows.some(({ limitBytes }) => limitBytes !== null);
  const smallest = rows.some((row) => row.smallest !== null);
  const head = [
    'settings',
    ...(limited ? ['limit'] : []),
    'reserved',
    'saves',
    'unused',
    'cudaMallocs',
    'retries',
    ...(smallest ? ['runs from'] : []),
    '',
  ];
  const body = rows.map((row) => [
    row.conf,
    ...(limited ? [row.limitBytes === null ? '' : formatBytes(row.limitBytes)] : []),
    formatBytes(row.reservedPeakBytes),
    savingWords(row, answer),
    `${formatBytes(row.fragmentationBytes)} (${percent(row.fragmentationBytes / Math.max(row.reservedPeakBytes, 1))})`,
    String(row.deviceAllocs),
    String(row.retries),
    ...(smallest ? [row.smallest ? smallestWords(row.smallest) : ''] : []),
    outcomeWords(row, answer),
  ]);
  return { head, body, right: new Set([...head.keys()].slice(1, -1)) };
}

function savingWords({ savingBytes, outcome }: WhatIfRow, { recorded }: Answer): string {
  if (savingBytes === null) {
    return outcome === 'dies' || recorded.outcome === 'dies' ? '' : 'not proven';
  }
  if (savingBytes === 0) return '0';
  return savingBytes > 0 ? formatBytes(savingBytes) : `−${formatBytes(-savingBytes)}`;
}

const smallestWords = ({ bytes, retries }: NonNullable<WhatIfRow['smallest']>) =>
  retries > 0
    ? `${formatBytes(bytes)} (${count(retries, 'retry', 'retries')})`
    : formatBytes(bytes);

function outcomeWords(row: WhatIfRow, { recorded, card }: Answer): string {
  if (row.outcomeAtMost === 'runs') return 'may run: the limit is not known closely enough';
  if (row.diesAt) return `DIES ${diesWords(row.diesAt)}`;
  if (recorded.outcome === 'dies' && recorded.exact) return 'runs to the end of the trace';
  if (row.isRecorded && (row.limitBytes === null || card)) return 'as recorded';
  return row.savingBytes !== null && row.savingBytes < 0 ? 'worse' : '';
}

function diesWords({ event, requestedBytes, moment, where }: DiesAt): string {
  if (event < 0) return 'before the trace begins';
  const step = moment.step === null ? `at event ${event}` : `in step ${moment.step}`;
  const phase = moment.phase === null ? '' : ` (${moment.phase})`;
  return `${step}${phase}, asking for ${formatBytes(requestedBytes)}${where === null ? '' : ` at ${where}`}`;
}

function linesOf({ rows, recorded, floorBytes, variable }: Answer): string[] {
  const rescues =
    recorded.exact && rows.some(({ isRecorded, outcome }) => isRecorded && outcome === 'dies');
  const best = rows.find(
    ({ savingBytes, outcome }) =>
      (savingBytes !== null && savingBytes > 0) || (rescues && outcome === 'runs'),
  );
  return [
    ...(best && best.conf !== 'default' ? [`To set it: export ${variable}=${best.conf}`] : []),
    `No setting can do with less than ${formatBytes(floorBytes)}, the most in use at one moment; the recorded run reserved ${formatBytes(recorded.reservedPeakBytes)}.`,
    ...(recorded.exact && recorded.deviceAllocs > 0
      ? [
          `Proven on the recorded run: its replay made the same ${count(recorded.deviceAllocs, 'cudaMalloc')} in the same order.`,
        ]
      : []),
  ];
}
