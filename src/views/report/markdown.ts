import type { Report } from '../../analyses/report.ts';
import { escapeMarkdown, markdownList, markdownTable } from '../markdown-parts.ts';
import { answer } from './answer.ts';
import type { Passage, SectionBlock, TextLayout } from './section.ts';
import { sectionsOf } from './sections.ts';

/** A page scrolls, and its lists need no indent. */
const PAGE: TextLayout = { width: 160, processes: 20, commandWidth: 80, indent: '' };

/** The report for an issue, a pull request or a wiki. */
export function reportMarkdown(report: Report): string {
  return passagesMarkdown(
    answer(report),
    sectionsOf(report).flatMap((section) => section.passages(report, PAGE)),
  );
}

export function passagesMarkdown(answer: string, passages: readonly Passage[]): string {
  const set = passages
    .map(({ title, blocks }) => ({ title, body: blocks.map(setBlock).join('\n\n').trim() }))
    .filter(({ body }) => body !== '')
    .map(({ title, body }) => `### ${title}\n\n${body}`);
  return `${[`**${escapeMarkdown(answer)}**`, ...set].join('\n\n')}\n`;
}

function setBlock(block: SectionBlock): string {
  if ('sentence' in block) return escapeMarkdown(block.sentence);
  if ('lines' in block) return markdownList(block.lines);
  if ('table' in block) return markdownTable(block.table);
  return block.facts.map(([name, value]) => `- ${name}: ${escapeMarkdown(value)}`).join('\n');
}
