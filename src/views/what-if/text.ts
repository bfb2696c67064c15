import type { WhatIfAnswer } from '../../analyses/allocations/what-if/view.ts';
import { alignColumns, capitalized, printable } from '../../base/text.ts';
import { verdictSentence } from '../../model/verdict.ts';
import { escapeMarkdown, markdownList, markdownTable } from '../markdown-parts.ts';
import { whatIfColumns } from './columns.ts';
import { bestRow, groundLines, setLine } from './lines.ts';

/** Settings side by side, for a terminal. */
export function whatIfText(answer: WhatIfAnswer): string {
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
export function whatIfMarkdown(answer: WhatIfAnswer): string {
  const blocks = [
    `**${escapeMarkdown(verdictSentence(answer.verdict))}**`,
    markdownTable({ ...tableOf(answer), rest: null }),
    markdownList([...linesOf(answer), ...answer.notes.map((note) => `${capitalized(note)}.`)]),
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

function tableOf(answer: WhatIfAnswer) {
  const columns = whatIfColumns(answer);
  return {
    head: columns.map(({ head }) => head),
    body: answer.rows.map((row) => columns.map(({ words }) => words(row))),
    right: new Set([...columns.keys()].filter((at) => columns[at]!.figure)),
  };
}

function linesOf(answer: WhatIfAnswer): string[] {
  const best = bestRow(answer);
  const line = best ? setLine(answer, best) : null;
  return [...(line === null ? [] : [`To set it: ${line}`]), ...groundLines(answer)];
}
