import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { percent } from '../../base/text.ts';
import { peakTiles } from './peaks.ts';
import type { Account, PageFacts, Tile } from './section.ts';
import { sectionsOf } from './sections.ts';

/** The peak, who held it, then what each section says: whether it leaks, whether memory ran out. */
export function reportTiles(report: Report, page: PageFacts): Tile[] {
  return [
    ...peakTiles(report, page),
    ...holderTile(report),
    ...sectionsOf(report).flatMap(({ tiles }) => tiles?.(report, page) ?? []),
  ];
}

/** Everything the report can take apart at its peak; what runs out first comes first. */
export function reportAccounts(report: Report): Account[] {
  return sectionsOf(report)
    .flatMap(({ accounts }) => accounts?.(report) ?? [])
    .filter(({ bytes, parts }) => bytes > 0 && parts.length > 0);
}

function holderTile(report: Report): Tile[] {
  const [account] = reportAccounts(report);
  const [largest] = [...(account?.parts ?? [])].sort((a, b) => b.bytes - a.bytes);
  if (!account || !largest) return [];
  const sum = account.parts.reduce((all, { bytes }) => all + bytes, 0);
  const share = percent(largest.bytes / Math.max(sum, account.bytes));
  return [
    {
      title: 'Held most of it',
      value: largest.label,
      detail: `${formatBytes(largest.bytes)}, ${share} of ${formatBytes(account.bytes)}`,
      tone: 'plain',
    },
  ];
}
