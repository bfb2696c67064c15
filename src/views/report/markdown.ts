import type { Report } from '../../analyses/report.ts';
import type { Section } from '../rows.ts';
import { allocationSections, isTraceOnly } from './allocations.ts';
import { answer } from './answer.ts';
import { gpuNotes, gpuRows } from './gpu.ts';
import { insideFacts } from './inside.ts';
import { layerSections } from './layers.ts';
import { leakFacts, leakSentence } from './leak.ts';
import { escapeMarkdown, markdownList, markdownTable } from './markdown-parts.ts';
import { rankNotes, rankRows } from './ranks.ts';
import { endingFacts, peakRows, processRows, samplingFacts } from './report-rows.ts';

const MOST_PROCESSES = 20;
const COMMAND_WIDTH = 80;
const PAGE_WIDTH = 160;

/** The report for an issue, a pull request or a wiki. */
export function reportMarkdown(report: Report): string {
  const blocks: string[] = [`**${escapeMarkdown(answer(report))}**`];
  const section = (title: string, ...parts: string[]) => {
    const body = parts.join('\n\n').trim();
    if (body !== '') blocks.push(`### ${title}`, body);
  };
  const whole = ({ title, lines, rows }: Section) =>
    section(title, markdownList(lines), rows ? markdownTable(rows) : '');
  allocationSections(report, PAGE_WIDTH).forEach(whole);
  if (!isTraceOnly(report)) {
    section('Leak', escapeMarkdown(leakSentence(report)), list(leakFacts(report)));
  }
  section('Peaks', markdownTable(peakRows(report)));
  section('GPUs', markdownTable(gpuRows(report)), markdownList(gpuNotes(report)));
  layerSections(report).forEach(whole);
  const said = rankNotes(report).map((note) => note.trim());
  section('Ranks', markdownList(said), markdownTable(rankRows(report)));
  section('Processes', markdownTable(processRows(report, MOST_PROCESSES, COMMAND_WIDTH)));
  section('Ending', list(endingFacts(report)));
  if (!isTraceOnly(report))
    section('Measured', list([...samplingFacts(report), ...insideFacts(report)]));
  section('Warnings', markdownList(report.warnings));
  return `${blocks.join('\n\n')}\n`;
}

function list(facts: readonly (readonly [string, string])[]): string {
  return facts.map(([name, value]) => `- ${name}: ${escapeMarkdown(value)}`).join('\n');
}
