import type { Device } from '../../analyses/allocations/index.ts';
import type { GpuFacts } from '../../analyses/gpu/index.ts';
import type { HostHolder } from '../../analyses/processes/host-peak/index.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, percent, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { categoryPlural, momentWords } from '../../model/allocations/words.ts';
import type { TextTable } from '../table.ts';
import { cardsShown } from './gpu.ts';
import { partWords } from './host-peak.ts';
import { sourceWords } from './peaks.ts';
import type { Passage } from './section.ts';

/** Enough to know where to look. */
const MOST = 5;

/** A line, a process or a part of one, with what it held at the peak. */
interface Holder {
  readonly bytes: number;
  readonly cells: readonly string[];
}

/** What held a device at its peak: by the lines that made it, by what the driver and the framework told of it. */
export function deviceHolders(report: Report): Passage[] {
  const cards = cardsShown(report).filter(({ accounting, headline }) => accounting && headline);
  return [...byPeak(report.devices).map(deviceHolder), ...cards.map(cardHolder)];
}

export const byPeak = (devices: readonly Device[]): Device[] =>
  devices.toSorted((a, b) => b.peakRequestedBytes - a.peakRequestedBytes);

function deviceHolder(device: Device): Passage {
  const { topStacks, categories, peakRequestedBytes: all, peakMoment } = device;
  const lines = topStacks.filter(({ frames }) => frames.length > 0);
  const when = momentWords(peakMoment);
  const table =
    lines.length > 0
      ? largest(
          ['category', 'made by'],
          lines.map(({ bytes, category, where }) => ({
            bytes,
            cells: [categoryPlural(category), printable(where)],
          })),
          all,
        )
      : largest(
          ['category', 'why'],
          categories.map(({ bytes, category, reason }) => ({
            bytes,
            cells: [categoryPlural(category), reason],
          })),
          all,
        );
  return {
    title: `What held ${deviceName(device.device)} at the peak`,
    blocks: [{ lines: [`${formatBytes(all)} requested${when}`] }, { table }],
  };
}

function cardHolder({ gpu, headline, accounting }: GpuFacts): Passage {
  const { usedBytes, rows } = accounting!;
  const held = rows.map(({ what, bytes, from }) => ({ bytes, cells: [printable(what), from] }));
  return {
    title: `What held GPU ${gpu} at ${formatDuration(headline!.seconds)}`,
    blocks: [
      { lines: [`${formatBytes(usedBytes)} in use on the card`] },
      { table: largest(['what', 'told by'], held, usedBytes) },
    ],
  };
}

/** What held the host's memory: parts of its processes by what they are; where nobody told those, the processes. */
export function hostHolders(report: Report): Passage[] {
  const { headline, hostPeak, processes } = report;
  if (!headline || headline.measure === 'card' || headline.measure === 'allocator') return [];
  const about = `${formatBytes(headline.bytes)} at ${formatDuration(headline.seconds)}: ${sourceWords(headline)}`;
  const parts = hostPeak.holders.flatMap(partsOf);
  const whole = hostPeak.holders.reduce((sum, { atBytes }) => sum + atBytes, 0);
  const roles = processes.roles.map((facts) => ({
    bytes: facts.pssAtPeak ?? facts.rssAtPeak ?? 0,
    cells: [
      printable(facts.role || facts.name || `pid ${facts.pids[0]}`),
      printable(facts.argv || facts.name),
    ],
  }));
  const tree = roles.reduce((sum, { bytes }) => sum + bytes, 0);
  const table =
    parts.length > 0
      ? largest(['process', 'what, of what is resident'], parts, whole)
      : largest(['process', 'command'], roles, tree);
  return [{ title: 'What held the peak', blocks: [{ lines: [about] }, { table }] }];
}

function partsOf({ role, parts }: HostHolder): Holder[] {
  return parts.map((part) => ({
    bytes: part.bytes,
    cells: [printable(role), partWords(part)],
  }));
}

function largest(head: readonly string[], holders: readonly Holder[], all: number): TextTable {
  const sorted = holders.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
  const rest = sorted.slice(MOST);
  const sum = rest.reduce((bytes, holder) => bytes + holder.bytes, 0);
  return {
    head: ['bytes', 'share', ...head],
    body: sorted
      .slice(0, MOST)
      .map(({ bytes, cells }) => [formatBytes(bytes), percent(bytes / Math.max(1, all)), ...cells]),
    right: new Set([0, 1]),
    rest: rest.length > 0 ? `and ${count(rest.length, 'more', 'more')}: ${formatBytes(sum)}` : null,
  };
}
