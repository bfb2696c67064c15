import type { Device } from '../../analyses/allocations/index.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { capitalized, percent, printable } from '../../base/text.ts';
import { categoryPlural } from '../../model/allocations/words.ts';
import { cardAccounts, cardsShown } from './gpu.ts';
import { byPeak } from './holders.ts';
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

/** The first part that says what it is: one process of one says nothing. */
function holderTile(report: Report): Tile[] {
  const [device] = byPeak(report.devices);
  const neighbours = othersHeldMost(report);
  if (device && !neighbours) return deviceHolderTile(device);
  const accounts = neighbours ? cardAccounts(report) : reportAccounts(report);
  const account = accounts.find(({ parts }) => parts.length > 1);
  const [largest] = [...(account?.parts ?? [])].sort((a, b) => b.bytes - a.bytes);
  if (!account || !largest) return [];
  const sum = account.parts.reduce((all, { bytes }) => all + bytes, 0);
  const share = percent(largest.bytes / Math.max(sum, account.bytes));
  const about = largest.about && account.of === 'processes' ? `; ${largest.about}` : '';
  return [
    {
      title: account.moment ? `Held most ${account.moment}` : 'Held most of it',
      value: largest.label,
      detail: `${formatBytes(largest.bytes)}, ${share} of ${formatBytes(account.bytes)} ${account.counted}${about}`,
      tone: 'plain',
      opens: onDevice(report, account) ? 'device-peak' : 'host-peak',
    },
  ];
}

/** Whether the largest part of the first card is a process of somebody else. */
function othersHeldMost(report: Report): boolean {
  const [first] = cardsShown(report).filter(({ accounting }) => accounting);
  const [most] = (first?.accounting?.rows ?? []).toSorted((a, b) => b.bytes - a.bytes);
  return most !== undefined && most.pid !== null;
}

const onDevice = (report: Report, { title }: Account) =>
  cardAccounts(report).some((card) => card.title === title);

/** What most of a device's memory was, and the line that made most of that. */
function deviceHolderTile({ categories, topStacks, peakRequestedBytes }: Device): Tile[] {
  const [most] = categories.toSorted((a, b) => b.bytes - a.bytes);
  if (!most) return [];
  const maker = topStacks.find(
    ({ category, frames }) => category === most.category && frames.length > 0,
  );
  const by = maker ? `; most made by ${printable(maker.where)}` : '';
  return [
    {
      title: 'Held most of it',
      value: capitalized(categoryPlural(most.category)),
      detail: `${formatBytes(most.bytes)}, ${percent(most.bytes / Math.max(1, peakRequestedBytes))}${by}`,
      tone: 'plain',
      opens: 'device-peak',
    },
  ];
}

/** Everything the report can take apart at its peak; what runs out first comes first. */
export function reportAccounts(report: Report): Account[] {
  return sectionsOf(report)
    .flatMap(({ accounts }) => accounts?.(report) ?? [])
    .filter(({ bytes, parts }) => bytes > 0 && parts.length > 0);
}
