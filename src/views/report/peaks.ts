import type { Device } from '../../analyses/allocations/index.ts';
import type { GpuFacts } from '../../analyses/gpu/index.ts';
import type { Peak } from '../../analyses/peaks.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
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
  if (device) found.push(devicePeak(device));
  const card = cardsShown(report)
    .filter(({ headline }) => headline)
    .sort((a, b) => b.headline!.bytes - a.headline!.bytes)[0];
  if (card?.headline) found.push(cardTile(card, at(card.headline.seconds)));
  const { headline } = report;
  // Of a device, its own tile has said it.
  const onHost = headline?.measure !== 'allocator' && headline?.measure !== 'card';
  if (headline && onHost) {
    const what =
      headline.measure === 'machine' ? 'Peak of the machine' : 'Peak of the process tree';
    const until = report.trust.stopped ? ', until it stops' : '';
    const sure = until || (headline.measure === 'upper-bound' ? ', at most' : '');
    found.push(peakTile(`${what}${sure}`, headline.bytes, at(headline.seconds)));
  }
  return found.slice(0, 2);
}

function cardTile({ gpu, memoryBytes, headline }: GpuFacts, at: string): Tile {
  const { bytes, of, othersBytes } = headline!;
  const whose = of === 'card' ? '' : ', this workload';
  const size = memoryBytes ? ` of ${formatBytes(memoryBytes)}` : '';
  const others = othersBytes ? `; others had ${formatBytes(othersBytes)} then` : '';
  const unseen = of === 'torch' ? "; by torch's own peak counter" : '';
  return peakTile(`Peak on GPU ${gpu}${whose}`, bytes, `${at}${size}${others}${unseen}`);
}

function devicePeak(device: Device): Tile {
  const moment = momentWords(device.peakMoment).trim();
  const reserved = Number.isFinite(device.peakReservedBytes)
    ? `${formatBytes(device.peakReservedBytes)} reserved`
    : '';
  const detail = [moment, reserved].filter(Boolean).join('; ');
  return peakTile(`Peak on ${deviceName(device.device)}`, device.peakRequestedBytes, detail);
}

const peakTile = (title: string, bytes: number, detail: string): Tile => ({
  title,
  value: formatBytes(bytes),
  detail,
  tone: 'plain',
  bytes,
});
