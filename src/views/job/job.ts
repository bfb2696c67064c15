import type { Job } from '../../analyses/job/index.ts';
import type { JobFacts, JobPeaks, JobRank, SomeRanks } from '../../analyses/job/job-facts.ts';
import { formatBytes } from '../../base/bytes.ts';
import { alignColumns, count, ellipsize, percent, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import type { Measure } from '../../model/job/summary.ts';
import { verdictSentence } from '../../model/verdict.ts';
import { bytesOr, NONE } from '../table.ts';

/** A job for a terminal: the answer, a few lines, those that stand out, and the ranks that hold most. */
export function jobText(job: Job): string {
  const about = alignColumns(aboutLines(job)).map((line) => `  ${line}`);
  const blocks = [
    [printable(verdictSentence(job.verdict))],
    about,
    outlierLines(job),
    topTable(job),
    job.warnings.map((text) => `  ${printable(text)}`),
  ];
  return `${blocks
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

export const MEASURE_WORDS: Readonly<Record<Measure, string>> = {
  card: 'card',
  torch: 'torch',
  memory: 'memory',
};

export type Line = [name: string, text: string];

/** What is known of it in lines, each with a name. */
export function aboutLines(job: Job): Line[] {
  const { id, batchJob, command, launcher, durationSeconds } = job.job;
  const name = [id ?? (batchJob === null ? null : `Slurm job ${batchJob}`), launcher].filter(
    Boolean,
  );
  return [
    ['job', ellipsize(printable([...name, command].join(', ')), 120)],
    ['ranks', ranksLine(job)],
    ['ran', formatDuration(durationSeconds)],
    ...deathLines(job),
    ...job.peaks.map((peaks): Line => [peaksName(peaks), peaksLine(peaks)]),
    ...skewLines(job),
    ...paceLines(job),
    ...askedLines(job),
    ...leakLines(job),
  ];
}

function ranksLine({ ranks, nodes, recordings }: JobFacts): string {
  const world = ranks.worldSize === null ? '' : ` of ${ranks.worldSize}`;
  const parts = [
    `${ranks.count}${world} on ${count(nodes, 'machine')}`,
    ranks.missing.count > 0 ? `no recording of ${someRanks(ranks.missing)}` : '',
    ranks.cut.count > 0 ? `cut off: ${someRanks(ranks.cut)}` : '',
    ranks.running > 0 ? `${ranks.running} still running` : '',
    recordings.unreadable.count > 0 ? `${recordings.unreadable.count} unreadable` : '',
  ];
  return parts.filter(Boolean).join('; ');
}

export function someRanks({ count: all, first }: SomeRanks): string {
  const shown = first.slice(0, 8);
  const more = all > shown.length ? ` and ${all - shown.length} more` : '';
  return shown.length === 0 ? `${all}` : `rank ${shown.join(', ')}${more}`;
}

function deathLines({ firstDeath, ranks: { endings } }: JobFacts): Line[] {
  const ended = Object.entries(endings)
    .sort(([, a], [, b]) => b - a)
    .map(([how, many]) => `${many} ${how === 'gone' ? 'gone, exit not seen' : how}`)
    .join(', ');
  const lines: Line[] = [['ended', ended]];
  if (!firstDeath) return lines;
  const { sentence, doubt, orRather } = firstDeath;
  lines.push(['its report', ellipsize(printable(sentence), 160)]);
  if (doubt) lines.push(['not certain', doubt]);
  for (const other of orRather)
    lines.push([
      'perhaps',
      `rank ${other.rank ?? '?'} on ${printable(other.node)}, ${formatDuration((other.atMs - firstDeath.atMs) / 1000)} later by its clock`,
    ]);
  return lines;
}

const peaksName = ({ measure, of }: JobPeaks) =>
  measure === 'memory'
    ? of === 'mixed' || of === null
      ? 'memory'
      : `memory (${of.toUpperCase()})`
    : MEASURE_WORDS[measure];

function peaksLine(peaks: JobPeaks): string {
  const { minBytes, medianBytes, p99Bytes, maxBytes, maxRank, maxNode, exact } = peaks;
  const about = exact ? '' : '≈ ';
  const who = maxRank === null ? printable(maxNode) : `rank ${maxRank} on ${printable(maxNode)}`;
  return `peaks ${formatBytes(minBytes)} to ${formatBytes(maxBytes)} (${who}); median ${about}${formatBytes(medianBytes)}, 99 % below ${about}${formatBytes(p99Bytes)}`;
}

function skewLines({ skew }: JobFacts): Line[] {
  if (!skew?.most) return [];
  const { sinceSeconds, most, measure } = skew;
  const above = formatBytes(most.bytes - most.medianBytes);
  const furthest = `furthest at ${formatDuration(most.seconds)}: rank ${most.rank ?? '?'} ${above} above the median`;
  return [
    [
      'skew',
      sinceSeconds === null
        ? `none that lasts (${MEASURE_WORDS[measure]}; ${furthest})`
        : `since ${formatDuration(sinceSeconds)} one rank holds clearly more (${MEASURE_WORDS[measure]}; ${furthest})`,
    ],
  ];
}

function paceLines({ pace }: JobFacts): Line[] {
  if (!pace) return [];
  const { fastestSeconds, slowestSeconds, medianSeconds, stragglers } = pace;
  const iterations =
    pace.fewestIterations === pace.mostIterations
      ? count(pace.mostIterations, 'iteration')
      : `${pace.fewestIterations} to ${pace.mostIterations} iterations`;
  const each = `${iterations}, one takes ${formatDuration(medianSeconds)} (${formatDuration(fastestSeconds)} to ${formatDuration(slowestSeconds)})`;
  const slow = stragglers
    .slice(0, 4)
    .map(
      ({ rank, secondsPerIteration }) =>
        `rank ${rank ?? '?'} ${formatDuration(secondsPerIteration)}`,
    );
  const alike =
    'no straggler by its pace (ranks that wait for each other all go as fast as the slowest)';
  return [
    ['pace', each],
    ['stragglers', slow.length > 0 ? slow.join(', ') : alike],
  ];
}

function askedLines({ asked: { memory, cards } }: JobFacts): Line[] {
  const lines: Line[] = [];
  if (memory) {
    const { askedBytes, usedBytes, nodes, fullest, from } = memory;
    const what = from === 'slurm' ? 'asked of Slurm' : "the control groups' limits";
    const one =
      nodes > 1
        ? `; the fullest, ${printable(fullest.node)}, ${formatBytes(fullest.usedBytes)} of ${formatBytes(fullest.askedBytes)}`
        : '';
    lines.push([
      'asked for',
      `${formatBytes(askedBytes)} of memory (${what}); used at most ${formatBytes(usedBytes)} at once, ${percent(usedBytes / askedBytes)}${one}`,
    ]);
  }
  if (cards) {
    const { memoryBytes, usedBytes, ranks, idle } = cards;
    const none = idle ? `; ${count(idle, 'card')} that nobody used` : '';
    lines.push([
      'cards',
      `${formatBytes(usedBytes)} of ${formatBytes(memoryBytes)} on the cards of ${count(ranks, 'rank')}, ${percent(usedBytes / memoryBytes)}${none}`,
    ]);
  }
  return lines;
}

const leakLines = ({ leaks }: JobFacts): Line[] =>
  leaks.first
    .slice(0, 4)
    .map((one, i) => [i === 0 ? `leaks (${leaks.count})` : '', leakWords(one)]);

function leakWords({
  rank,
  node,
  perHourBytes,
  sentence,
}: JobFacts['leaks']['first'][number]): string {
  const rate = perHourBytes === null ? '' : `, ${formatBytes(perHourBytes)} an hour`;
  return `${rank === null ? printable(node) : `rank ${rank}`}${rate}: ${ellipsize(printable(sentence), 100)}`;
}

/** A sentence each rank that stands out, and what it holds more of. */
export function outlierLines({ outliers }: Pick<JobFacts, 'outliers'>): string[] {
  return outliers
    .slice(0, 8)
    .flatMap(({ rank, node, measure, bytes, medianBytes, deviations, more }) => {
      const far =
        deviations === null
          ? ''
          : `, most of whom lie within ${formatBytes(Math.abs(bytes - medianBytes) / deviations)} of it`;
      const who = rank === null ? printable(node) : `Rank ${rank} on ${printable(node)}`;
      const apart = `${formatBytes(Math.abs(bytes - medianBytes))} ${bytes > medianBytes ? 'more' : 'less'}`;
      return [
        `  ${who} stands out: ${formatBytes(bytes)} (${MEASURE_WORDS[measure]}), ${apart} than the median of the others${far}.`,
        ...more.map(
          (one) =>
            `    ${printable(one.what)}: ${formatBytes(one.bytes)}, others ${formatBytes(one.medianBytes)}`,
        ),
      ];
    });
}

function topTable({ top, ranks }: JobFacts): string[] {
  if (top.length === 0) return [];
  const has = (of: (one: JobRank) => unknown) => top.some((one) => of(one) !== null);
  const columns: [head: string, cell: (one: JobRank) => string, wanted: boolean][] = [
    ['rank', ({ rank }) => (rank === null ? NONE : String(rank)), true],
    ['machine', ({ node }) => ellipsize(printable(node), 24), true],
    ['memory', (one) => bytesOr(one.memoryBytes), has((one) => one.memoryBytes)],
    ['torch', (one) => bytesOr(one.torchBytes), has((one) => one.torchBytes)],
    ['card', (one) => bytesOr(one.cardBytes), has((one) => one.cardBytes)],
    ['of', (one) => bytesOr(one.cardMemoryBytes), has((one) => one.cardMemoryBytes)],
    [
      'at',
      ({ peakSeconds }) => (Number.isNaN(peakSeconds) ? NONE : formatDuration(peakSeconds)),
      true,
    ],
    [
      'iteration',
      (one) => (one.peakIteration === null ? NONE : String(one.peakIteration)),
      has((one) => one.peakIteration),
    ],
    ['ended', ({ ended }) => ended, true],
  ];
  const shown = columns.filter(([, , wanted]) => wanted);
  const rows = [
    shown.map(([head]) => head),
    ...top.map((one) => shown.map(([, cell]) => cell(one))),
  ];
  const right = new Set(
    shown.flatMap(([head], i) => (['machine', 'ended'].includes(head) ? [] : [i])),
  );
  const rest = ranks.count - top.length;
  return [
    ...alignColumns(rows, right).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  and ${count(rest, 'rank')} that hold less`] : []),
  ];
}
