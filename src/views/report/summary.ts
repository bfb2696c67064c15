import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { alignColumns, count, ellipsize, printable, shellJoin } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { answer } from './answer.ts';
import { leakSentence } from './leak.ts';
import { kindWords } from './leak-kind.ts';

/** What `record` says at the end: the answer, at most five lines, and what to type next. */
export function summaryLines(report: Report, path: string, typed = 'highwater'): string[] {
  const place = shellJoin([path]);
  return [
    answer(report),
    ...alignColumns(atMostFive(facts(report))).map((line) => `  ${line}`),
    'Next:',
    `  ${typed} report ${place}`,
    `  ${typed} plot ${place} -o memory.png`,
    `  ${typed} export ${place} --to csv`,
  ];
}

/** What casts doubt on the figures is never left out for more of them. */
function atMostFive(lines: [string, string][]): [string, string][] {
  const [first, doubts] = [false, true].map((is) =>
    lines.filter(([name, text]) => (name === 'warning' || / [1-9]\d* missed$/.test(text)) === is),
  );
  return [...first!.slice(0, 5 - doubts!.length), ...doubts!];
}

function facts(report: Report): [string, string][] {
  const { peaks, processes, sampling, warnings } = report;
  const lines: [string, string][] = [];
  // Only what is sure is worth a line of five; the report tells the rest.
  if (report.leak.verdict === 'leak') {
    lines.push(['leak', leakSentence(report).slice(6)]);
    if (report.leak.kind !== 'unknown') lines.push(['kind', kindWords(report)]);
  }
  const named = (series: string) => peaks.find((peak) => peak.series === series);
  const tree = [named('tree.pss'), named('tree.rss')].filter((peak) => peak !== undefined);
  if (tree.length > 0) {
    const words = tree.map((p) => `${p.series.slice(5).toUpperCase()} ${formatBytes(p.bytes)}`);
    lines.push(['process tree', `peak ${words.join(', ')}`]);
  }
  const [largest] = processes.roles;
  if (largest && processes.roles.length > 1) {
    const held = largest.pssAtPeak ?? largest.rssAtPeak ?? largest.peakRss;
    const who = printable(largest.role || largest.name || `pid ${largest.pids[0]}`);
    const share = held === null ? '' : `, ${formatBytes(held)} at the peak`;
    lines.push(['largest', `${ellipsize(who, 40)}${share}`]);
  }
  const used = named('host.used');
  if (used) {
    lines.push([
      'machine',
      `peak ${formatBytes(used.bytes)} in use at ${formatDuration(used.seconds)}`,
    ]);
  }
  const missed = sampling.missed > 0 ? `${sampling.missed} missed` : 'none missed';
  lines.push(['samples', `${count(sampling.ticks || sampling.samples, 'sample')}, ${missed}`]);
  if (warnings.length > 0) {
    const more = warnings.length > 1 ? ` (and ${warnings.length - 1} more)` : '';
    lines.push(['warning', `${ellipsize(printable(warnings[0]!), 100)}${more}`]);
  }
  return lines;
}
