import type { Device } from '../../analyses/allocations/index.ts';
import type { GpuFacts } from '../../analyses/gpu/index.ts';
import type { Headline, Peak } from '../../analyses/peaks.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { momentWords } from '../../model/allocations/words.ts';
import { seriesLabel } from '../../model/series-label.ts';
import type { TextTable } from '../table.ts';
import { cardsShown } from './gpu.ts';
import type { PageFacts, Tile } from './section.ts';

export function peakRows(report: Report): TextTable {
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

const MEASURES: Readonly<Record<Headline['measure'], string>> = {
  kernel: "control group, the kernel's own figure",
  proportional: 'proportional',
  'upper-bound': 'summed RSS, an upper bound',
  machine: 'all that is in use on the machine',
  card: 'all of a GPU',
  allocator: "requested of a device's allocator",
};

/** What a peak rests on: `proportional, estimated, 1 process`. */
export function sourceWords({ measure, estimated, processes }: Headline): string {
  const guessed = measure === 'proportional' && estimated ? ['estimated'] : [];
  const who = processes === null ? [] : [count(processes, 'process', 'processes')];
  return [MEASURES[measure], ...guessed, ...who].join(', ');
}

/** Where the first line has its figure from. */
export function headlineNotes({ headline }: Report): string[] {
  const onHost = headline && headline.measure !== 'card' && headline.measure !== 'allocator';
  return onHost ? [`The first line has ${headline.series}: ${sourceWords(headline)}`] : [];
}

/** Swap or cards that were never used are no news on a page; programs get them all the same. */
const tellsSomething = ({ series, bytes }: Peak) =>
  !FINE_PRINT.test(series) &&
  (bytes > 0 || (series !== 'tree.swap' && !/^gpu\d+\.tree$/.test(series)));

/** Counters that explain others, each with a peak at another moment. */
const FINE_PRINT = /^(malloc\.free|torch\d+\.(requested|active|unusable))$/;

/** Of the card, or of the trace's device, and of the tree: at most two, the scarcer first. */
export function peakTiles(report: Report, { iterationAt }: PageFacts): Tile[] {
  const at = (seconds: number) => {
    const iteration = iterationAt(seconds);
    return `at ${formatDuration(seconds)}${iteration === '' ? '' : `, ${iteration}`}`;
  };
  const found: Tile[] = [];
  const device = [...report.devices].sort((a, b) => b.peakRequestedBytes - a.peakRequestedBytes)[0];
  const cards = cardsShown(report).filter(({ headline }) => headline);
  const card = cards.sort((a, b) => b.headline!.bytes - a.headline!.bytes)[0];
  // Of one card and one trace, the trace tells what of the card's figure tensors asked for.
  const isOne = device && card && cards.length === 1 && report.devices.length === 1;
  if (device && !isOne) found.push(devicePeak(device));
  if (card?.headline) found.push(cardTile(card, at(card.headline.seconds), isOne ? device : null));
  const { headline } = report;
  // Of a device, its own tile has said it.
  const onHost = headline?.measure !== 'allocator' && headline?.measure !== 'card';
  if (headline && onHost) {
    const what =
      headline.measure === 'machine' ? 'Peak of the machine' : 'Peak of the process tree';
    const until = report.trust.stopped ? ', until it stops' : '';
    const sure = until || (headline.measure === 'upper-bound' ? ', at most' : '');
    const detail = `${at(headline.seconds)}; ${sourceWords(headline)}`;
    found.push(peakTile(`${what}${sure}`, headline.bytes, detail, 'host-peak'));
  }
  return found.slice(0, 2);
}

function cardTile(
  { gpu, memoryBytes, headline }: GpuFacts,
  at: string,
  device: Device | null,
): Tile {
  const { bytes, of, othersBytes } = headline!;
  const whose = of === 'card' ? '' : ', this workload';
  const size = memoryBytes ? `of ${formatBytes(memoryBytes)}, ` : '';
  const others = othersBytes ? `; others had ${formatBytes(othersBytes)} then` : '';
  const unseen = of === 'torch' ? "; by torch's own peak counter" : '';
  const asked = device
    ? `; tensors asked for ${formatBytes(device.peakRequestedBytes)} at most${momentWords(device.peakMoment)}`
    : '';
  return peakTile(`Peak on GPU ${gpu}${whose}`, bytes, `${size}${at}${others}${asked}${unseen}`);
}

function devicePeak(device: Device): Tile {
  const moment = momentWords(device.peakMoment).trim();
  const reserved = Number.isFinite(device.peakReservedBytes)
    ? `${formatBytes(device.peakReservedBytes)} reserved`
    : '';
  const detail = [moment, reserved].filter(Boolean).join('; ');
  const title = `Peak requested on ${deviceName(device.device)}`;
  return peakTile(title, device.peakRequestedBytes, detail);
}

const peakTile = (title: string, bytes: number, detail: string, opens = 'device-peak'): Tile => ({
  title,
  value: formatBytes(bytes),
  detail,
  tone: 'plain',
  bytes,
  opens,
});
