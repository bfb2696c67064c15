import type { Report } from '../analyses/report.ts';
import { printable } from '../base/text.ts';
import { allocationSections, isTraceOnly } from './allocations.ts';
import { answer } from './answer.ts';
import { gpuNotes, gpuRows } from './gpu.ts';
import { insideFacts } from './inside.ts';
import { layerSections } from './layers.ts';
import { leakFacts, leakSentence } from './leak.ts';
import { rankNotes, rankRows } from './ranks.ts';
import { endingFacts, peakRows, processRows, type Rows, samplingFacts } from './report-rows.ts';

const MOST_PROCESSES = 20;
const COMMAND_WIDTH = 80;
const PAGE_WIDTH = 160;

/** The report for an issue, a pull request or a wiki. */
export function reportMarkdown(report: Report): string {
  const blocks: string[] = [`**${escapeMarkdown(answer(report))}**`];
  const section = (title: string, body: string) => {
    if (body !== '') blocks.push(`### ${title}`, body);
  };
  for (const { title, lines, rows } of allocationSections(report, PAGE_WIDTH)) {
    const notes = lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n');
    section(title, [notes, rows ? markdownTable(rows) : ''].join('\n\n').trim());
  }
  if (!isTraceOnly(report)) {
    section(
      'Leak',
      [escapeMarkdown(leakSentence(report)), list(leakFacts(report))].join('\n\n').trim(),
    );
  }
  section('Peaks', markdownTable(peakRows(report)));
  const notes = gpuNotes(report).map((note) => `- ${escapeMarkdown(note)}`);
  section('GPUs', [markdownTable(gpuRows(report)), notes.join('\n')].join('\n\n').trim());
  for (const { title, lines, rows } of layerSections(report)) {
    const said = lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n');
    section(title, [said, rows ? markdownTable(rows) : ''].join('\n\n').trim());
  }
  const said = rankNotes(report).map((note) => `- ${escapeMarkdown(note.trim())}`);
  section('Ranks', [said.join('\n'), markdownTable(rankRows(report))].join('\n\n').trim());
  section('Processes', markdownTable(processRows(report, MOST_PROCESSES, COMMAND_WIDTH)));
  section('Ending', list(endingFacts(report)));
  if (!isTraceOnly(report))
    section('Measured', list([...samplingFacts(report), ...insideFacts(report)]));
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

export function markdownTable({ head, body, right, rest }: Rows): string {
  if (body.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const rule = `|${head.map((_, i) => (right.has(i) ? '---:' : '---')).join('|')}|`;
  const lines = [line(head), rule, ...body.map(line)];
  return rest ? `${lines.join('\n')}\n\n${escapeMarkdown(rest)}` : lines.join('\n');
}

function list(facts: readonly (readonly [string, string])[]): string {
  return facts.map(([name, value]) => `- ${name}: ${escapeMarkdown(value)}`).join('\n');
}
