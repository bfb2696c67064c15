import type { Report } from '../../analyses/report.ts';
import { alignColumns, printable } from '../../base/text.ts';
import type { Rows, Section } from '../rows.ts';
import { allocationSections, isTraceOnly } from './allocations.ts';
import { answer } from './answer.ts';
import { gpuNotes, gpuRows } from './gpu.ts';
import { insideFacts } from './inside.ts';
import { layerSections } from './layers.ts';
import { leakFacts, leakSentence } from './leak.ts';
import { rankNotes, rankRows } from './ranks.ts';
import { endingFacts, peakRows, processRows, samplingFacts } from './report-rows.ts';

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
  const style = (code: number) => (text: string) => (color ? `\x1b[${code}m${text}\x1b[0m` : text);
  const [bold, dim] = [style(1), style(2)];
  const blocks: string[][] = [[bold(answer(report))]];
  const section = (title: string, lines: readonly string[]) => {
    if (lines.length > 0) blocks.push([bold(title), ...lines.map((line) => `  ${line}`)]);
  };
  const table = (rows: Rows): string[] => {
    if (rows.body.length === 0) return [];
    const [head, ...body] = alignColumns([rows.head, ...rows.body], rows.right);
    return [dim(head!), ...body, ...(rows.rest ? [dim(rows.rest)] : [])];
  };
  const whole = ({ title, lines, rows }: Section) =>
    section(title, [...lines, ...(rows ? table(rows) : [])]);
  allocationSections(report, width).forEach(whole);
  if (!isTraceOnly(report)) {
    section('Leak', [leakSentence(report), ...alignColumns(leakFacts(report))]);
  }
  section('Peaks', table(peakRows(report)));
  section('GPUs', [...table(gpuRows(report)), ...gpuNotes(report)]);
  layerSections(report).forEach(whole);
  section('Ranks', [...rankNotes(report), ...table(rankRows(report))]);
  const commandWidth = Math.max(20, width - PROCESS_COLUMNS);
  section('Processes', table(processRows(report, MOST_PROCESSES, commandWidth)));
  section('Ending', alignColumns(endingFacts(report)));
  if (!isTraceOnly(report))
    section('Measured', alignColumns([...samplingFacts(report), ...insideFacts(report)]));
  section('Warnings', report.warnings.map(printable));
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}
