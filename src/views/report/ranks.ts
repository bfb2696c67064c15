import type { Outlier, Ranks } from '../../analyses/ranks/index.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { bytesOr, NONE, type TextTable } from '../table.ts';
import type { Tile } from './section.ts';

const MOST_RANKS = 16;

/** The ranks of a job, a row each; of many, those that hold most. */
export function rankRows({ ranks: { ranks, measure } }: Report): TextTable {
  const shown = ranks.length > MOST_RANKS ? heaviest(ranks) : ranks;
  const torch = ranks.some(({ torchBytes }) => torchBytes !== null);
  const hidden = ranks.length - shown.length;
  return {
    head: [
      'rank',
      measure === 'pss' ? 'peak PSS' : 'peak RSS',
      'at',
      'of the median',
      ...(torch ? ['torch, at most'] : []),
      'processes',
    ],
    body: shown.map((one) => [
      String(one.rank),
      bytesOr(one.peakBytes),
      one.peakSeconds === null ? NONE : formatDuration(one.peakSeconds),
      one.timesMedian === null ? NONE : `${one.timesMedian.toFixed(2)} ×`,
      ...(torch ? [bytesOr(one.torchBytes)] : []),
      String(one.processes),
    ]),
    right: new Set([0, 1, 2, 3, 4, 5]),
    rest: hidden > 0 ? `and ${count(hidden, 'rank')} that hold less` : null,
  };
}

const heaviest = (ranks: Ranks['ranks']) =>
  [...ranks].sort((a, b) => (b.peakBytes ?? 0) - (a.peakBytes ?? 0)).slice(0, MOST_RANKS);

const WORDS = {
  memory: 'of memory',
  torch: "of torch's memory",
  malloc: 'handed out by malloc',
} as const;

export const outlierWords = ({ rank, bytes, medianBytes, measure }: Outlier) =>
  `Rank ${rank} stands out: ${formatBytes(bytes)} ${WORDS[measure]}, ` +
  `${formatBytes(bytes - medianBytes)} more than the median of the others.`;

/** The rank that stands out, for the page. */
export function rankTiles({ ranks: { outlier } }: Report): Tile[] {
  if (!outlier) return [];
  const { rank, bytes, medianBytes, measure } = outlier;
  const detail = `${formatBytes(bytes)} ${WORDS[measure]}, ${formatBytes(bytes - medianBytes)} more than the median of the others`;
  return [
    { title: 'Ranks', value: `Rank ${rank} stands out`, detail, tone: 'bad', opens: 'ranks' },
  ];
}

/** The rank that stands out, and what it holds more of. */
export function rankNotes({ ranks: { outlier } }: Pick<Report, 'ranks'>, indent = '  '): string[] {
  if (!outlier) return [];
  const lines = [outlierWords(outlier)];
  for (const one of outlier.more) {
    lines.push(
      `${indent}${printable(one.what)}: ${formatBytes(one.bytes)}, others ${formatBytes(one.medianBytes)}`,
    );
  }
  return lines;
}
