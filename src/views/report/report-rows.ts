import type { Peak } from '../../analyses/peaks.ts';
import type { ProcessFacts } from '../../analyses/processes/index.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, ellipsize, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { bytesOr, NONE, type Rows } from '../rows.ts';
import { seriesLabel } from './series-label.ts';

export function peakRows(report: Report): Rows {
  return {
    head: ['series', 'peak', 'at', 'what it is'],
    body: report.peaks
      .filter(tellsSomething)
      .map((peak) => [
        peak.series,
        formatBytes(peak.bytes),
        formatDuration(peak.seconds),
        seriesLabel(peak.series),
      ]),
    right: new Set([1, 2]),
    rest: null,
  };
}

/** Swap or cards that were never used are no news on a page; programs get them all the same. */
const tellsSomething = ({ series, bytes }: Peak) =>
  !FINE_PRINT.test(series) &&
  (bytes > 0 || (series !== 'tree.swap' && !/^gpu\d+\.tree$/.test(series)));

/** Counters that explain others, each with a peak at another moment. */
const FINE_PRINT = /^(malloc\.free|torch\d+\.(requested|active|unusable))$/;

export function processRows(report: Report, most: number, commandWidth: number): Rows {
  const { roles } = report.processes;
  const shown = roles.slice(0, most);
  const hidden = roles.length - shown.length;
  return {
    head: ['role', 'pid', 'PSS at peak', 'peak RSS', 'kernel HWM', 'seen', 'command'],
    body: shown.map((facts) => processCells(facts, commandWidth)),
    right: new Set([1, 2, 3, 4]),
    rest: hidden > 0 ? `and ${hidden} more` : null,
  };
}

function processCells(facts: ProcessFacts, commandWidth: number): string[] {
  const { pids, firstSeconds, lastSeconds } = facts;
  const seen =
    firstSeconds === null || lastSeconds === null
      ? NONE
      : `${formatDuration(firstSeconds)} – ${formatDuration(lastSeconds)}`;
  return [
    printable(facts.role || facts.name || NONE),
    pids.length === 1 ? String(pids[0]) : `${pids.length} pids`,
    bytesOr(facts.pssAtPeak),
    bytesOr(facts.peakRss),
    bytesOr(facts.hwm),
    seen,
    ellipsize(printable(facts.argv || facts.name || NONE), commandWidth),
  ];
}

/** How well it was measured, as name and value. */
export function samplingFacts(report: Report): [string, string][] {
  const { sampling, trust, recording } = report;
  const facts: [string, string][] = [];
  const rate = sampling.reachedHz === null ? '' : `, reached ${sampling.reachedHz.toFixed(1)} Hz`;
  if (sampling.askedHz > 0) {
    const missed = sampling.missed > 0 ? `, ${sampling.missed} missed` : ', none missed';
    const samples = count(sampling.ticks || sampling.samples, 'sample');
    facts.push(['samples', `${samples} at ${sampling.askedHz} Hz${rate}${missed}`]);
  } else {
    facts.push(['samples', String(sampling.samples)]);
  }
  if (sampling.latenessMs) {
    const { p50, p99, max } = sampling.latenessMs;
    const ms = (value: number) => `${value.toFixed(2)} ms`;
    facts.push(['lateness', `p50 ${ms(p50)}, p99 ${ms(p99)}, largest ${ms(max)}`]);
  }
  if (sampling.recorderCpuSeconds !== null) {
    facts.push(['recorder', `${formatDuration(sampling.recorderCpuSeconds)} of processor time`]);
  }
  if (trust.pss && trust.pss.estimatedShare > 0) {
    const percent = (trust.pss.estimatedShare * 100).toFixed(
      trust.pss.estimatedShare < 0.1 ? 1 : 0,
    );
    facts.push(['PSS', `estimated in ${percent} % of the readings`]);
  }
  for (const { id, reason, remedy } of trust.unavailable) {
    facts.push(['not measured', printable(`${id}: ${reason}${remedy ? ` (${remedy})` : ''}`)]);
  }
  if (recording.host.name) {
    const { name, kernel, cpus, memoryBytes } = recording.host;
    const parts = [name, kernel, cpus > 0 ? count(cpus, 'processor') : ''];
    if (memoryBytes !== null) parts.push(formatBytes(memoryBytes));
    facts.push(['machine', printable(parts.filter(Boolean).join(', '))]);
  }
  return facts;
}

/** How it ended, as name and value; nothing where there was no workload to end. */
export function endingFacts(report: Report): [string, string][] {
  const { ending, recording } = report;
  if (ending.how === 'watched' || ending.how === 'imported') return [];
  const facts: [string, string][] = [];
  if (ending.how === 'cut-off') facts.push(['exit', 'not seen']);
  else if (ending.signal) facts.push(['exit', `signal ${printable(ending.signal)}`]);
  else facts.push(['exit', `code ${ending.code ?? 'unknown'}`]);
  if (ending.endedBy) facts.push(['ended by', printable(`Highwater: ${ending.endedBy}`)]);
  if (ending.how !== 'cut-off') {
    const killed = ending.oomKilled === null ? 'unknown' : ending.oomKilled ? 'yes' : 'no';
    const evidence = ending.oomEvidence ? ` (${printable(ending.oomEvidence)})` : '';
    facts.push(['out-of-memory kill', killed + evidence]);
  }
  for (const { seconds, lines } of ending.oomMessages) {
    const [what = '', ...meaning] = lines.map(printable);
    facts.push(['ran out of memory', `at ${formatDuration(seconds)}: ${what}`]);
    for (const sentence of meaning) facts.push(['', sentence]);
  }
  facts.push(['duration', formatDuration(recording.durationSeconds)]);
  return facts;
}
