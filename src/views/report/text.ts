import type { Report } from '../../analyses/report.ts';
import { alignColumns } from '../../base/text.ts';
import { answer } from './answer.ts';
import type { Passage, SectionBlock, TextLayout } from './section.ts';
import { sectionsOf } from './sections.ts';

export interface TextOptions {
  /** ANSI bold and dim; the caller knows whether there is a terminal and whether NO_COLOR is set. */
  readonly color?: boolean;
  readonly width?: number;
}

const MOST_PROCESSES = 8;
/** What the columns before the command take up, about. */
const PROCESS_COLUMNS = 76;

/** The report for a terminal. */
export function reportText(report: Report, options: TextOptions = {}): string {
  const { color = false, width = 120 } = options;
  const layout: TextLayout = {
    width,
    processes: MOST_PROCESSES,
    commandWidth: Math.max(20, width - PROCESS_COLUMNS),
    indent: '  ',
  };
  const passages = sectionsOf(report).flatMap((section) => section.passages(report, layout));
  return passagesText(answer(report), passages, color);
}

/** Titles with what stands below them, and the answer above all. */
export function passagesText(answer: string, passages: readonly Passage[], color: boolean): string {
  const style = (code: number) => (text: string) => (color ? `\x1b[${code}m${text}\x1b[0m` : text);
  const [bold, dim] = [style(1), style(2)];
  const set = passages
    .map(({ title, blocks }) => ({ title, lines: blocks.flatMap((block) => setLines(block, dim)) }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => [bold(title), ...lines.map((line) => `  ${line}`)].join('\n'));
  return `${[bold(answer), ...set].join('\n\n')}\n`;
}

function setLines(block: SectionBlock, dim: (text: string) => string): readonly string[] {
  if ('sentence' in block) return [block.sentence];
  if ('lines' in block) return block.lines;
  if ('facts' in block) return alignColumns(block.facts);
  const { head, body, right, rest } = block.table;
  if (body.length === 0) return [];
  const [first, ...others] = alignColumns([head, ...body], right);
  return [dim(first!), ...others, ...(rest ? [dim(rest)] : [])];
}
