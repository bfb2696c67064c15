import type { Report } from '../analyses/report.ts';
import { printable } from '../base/text.ts';
import { answer } from './answer.ts';
import { leakFacts, leakSentence } from './leak.ts';
import { endingFacts, peakRows, processRows, type Rows, samplingFacts } from './report-rows.ts';

const MOST_PROCESSES = 20;
const COMMAND_WIDTH = 80;

/** The report for an issue, a pull request or a wiki. */
export function reportMarkdown(report: Report): string {
  const blocks: string[] = [`**${escapeMarkdown(answer(report))}**`];
  const section = (title: string, body: string) => {
    if (body !== '') blocks.push(`### ${title}`, body);
  };
  section(
    'Leak',
    [escapeMarkdown(leakSentence(report)), list(leakFacts(report))].join('\n\n').trim(),
  );
  section('Peaks', table(peakRows(report)));
  section('Processes', table(processRows(report, MOST_PROCESSES, COMMAND_WIDTH)));
  section('Ending', list(endingFacts(report)));
  section('Measured', list(samplingFacts(report)));
  section('Warnings', report.warnings.map((text) => `- ${escapeMarkdown(text)}`).join('\n'));
  return `${blocks.join('\n\n')}\n`;
}

/**
 * Text that came out of a recording, made literal: it must not become a link, an image, a tag or
 * a new cell in whatever renders this. Entities work in every dialect, backslashes not in tables.
 */
export function escapeMarkdown(text: string): string {
  return printable(text).replace(/[&<>|`*_[\]\\~#@!$]|:\/\//g, (found) =>
    found === '://' ? '&#58;//' : `&#${found.charCodeAt(0)};`,
  );
}

function table({ head, body, right, rest }: Rows): string {
  if (body.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const rule = `|${head.map((_, i) => (right.has(i) ? '---:' : '---')).join('|')}|`;
  const lines = [line(head), rule, ...body.map(line)];
  return rest ? `${lines.join('\n')}\n\n${escapeMarkdown(rest)}` : lines.join('\n');
}

function list(facts: readonly (readonly [string, string])[]): string {
  return facts.map(([name, value]) => `- ${name}: ${escapeMarkdown(value)}`).join('\n');
}
