import { formatBytes } from '../../base/bytes.ts';
import { count, percent } from '../../base/text.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { categoryPlural, momentWords } from '../../model/allocations/words.ts';
import type { Device } from '../allocations/index.ts';
import type { Fix } from '../allocations/oom.ts';
import type { ReportFacts } from '../report-facts.ts';
import { firstDevice } from '../trace-only.ts';
import type { VerdictBuilder } from './builder.ts';

/** What a report on an allocation trace says first. */
export function traceWords({ devices }: ReportFacts, words: VerdictBuilder): string {
  const device = firstDevice(devices)!;
  const others = devices.length > 1 ? `; ${count(devices.length - 1, 'more device')}` : '';
  const what = device.oom ? oomWords(device, words) : tracePeak(device);
  return `${what}${growthWords(device)}${others}.`;
}

function tracePeak(device: Device): string {
  const peak = formatBytes(device.peakRequestedBytes);
  const reserved = Number.isFinite(device.peakReservedBytes)
    ? ` (${formatBytes(device.peakReservedBytes)} reserved)`
    : '';
  const what = device.categories
    .filter(({ bytes }) => bytes >= device.peakRequestedBytes * 0.05)
    .map(
      ({ category, bytes }) =>
        `${percent(bytes / device.peakRequestedBytes)} ${categoryPlural(category)}`,
    );
  const known = device.categories.filter(({ category }) => category !== 'unknown');
  const total = (of: (share: (typeof known)[number]) => number) =>
    known.reduce((sum, share) => sum + of(share), 0);
  const sure = total(({ bytes, confidence }) => bytes * confidence);
  const guess = sure < total(({ bytes }) => bytes) * 0.6 ? 'probably ' : '';
  const split = what.length > 0 ? `: ${guess}${what.join(', ')}` : '';
  const where = `on ${deviceName(device.device)}`;
  if (!device.freesKnown) return `${peak} allocated in all ${where}, as frees have no size${split}`;
  return `Peak ${peak} requested${reserved} ${where}${momentWords(device.peakMoment)}${split}`;
}

function oomWords(device: Device, words: VerdictBuilder): string {
  const oom = device.oom!;
  const best = oom.fixes[0];
  const fix = best ? `; ${formatBytes(best.bytes)} less if you ${fixWords(best, words)}` : '';
  return (
    `Out of memory on ${deviceName(device.device)}${momentWords(oom.moment)}: ${formatBytes(oom.requestedBytes)} asked for, ` +
    `${formatBytes(oom.deviceFreeBytes)} free${oom.limited ? ' but a limit in force' : ''}, ${formatBytes(oom.unusableBytes)} reserved but unusable${fix}`
  );
}

/** A fix without what the program calls its places. */
export const fixWords = ({ what, where }: Fix, words: VerdictBuilder): string =>
  where === null ? what : `${what.slice(0, -where.length)}${words.theirs('place', where)}`;

const growthWords = ({ leak }: Device) =>
  leak.verdict === 'leak'
    ? `; live memory grows by ${formatBytes(leak.requestedPerStep!)} a step`
    : '';
