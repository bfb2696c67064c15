import type { Device } from '../../analyses/allocations/index.ts';
import type { StepMoment } from '../../analyses/allocations/moment.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import { deviceName } from '../../model/allocations/device-name.ts';

/** What a report on an allocation trace says first; null where there is none. */
export function allocationAnswer({ devices }: Report): string | null {
  const device = [...devices].sort((a, b) => rank(b) - rank(a))[0];
  if (!device) return null;
  const others = devices.length > 1 ? `; ${count(devices.length - 1, 'more device')}` : '';
  return `${device.oom ? oomAnswer(device) : peakAnswer(device)}${growthWords(device)}${others}.`;
}

/** Where memory ran out comes first, then GPUs before the host, then the highest peak. */
const rank = ({ oom, device, peakRequestedBytes }: Device) =>
  peakRequestedBytes + (oom ? 2 ** 52 : 0) + (typeof device === 'number' ? 2 ** 51 : 0);

function peakAnswer(device: Device): string {
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

function oomAnswer(device: Device): string {
  const oom = device.oom!;
  const best = oom.fixes[0];
  const fix = best ? `; ${formatBytes(best.bytes)} less if you ${best.what}` : '';
  return (
    `Out of memory on ${deviceName(device.device)}${momentWords(oom.moment)}: ${formatBytes(oom.requestedBytes)} asked for, ` +
    `${formatBytes(oom.deviceFreeBytes)} free${oom.limited ? ' but a limit in force' : ''}, ${formatBytes(oom.unusableBytes)} reserved but unusable${fix}`
  );
}

const growthWords = ({ leak }: Device) =>
  leak.verdict === 'leak'
    ? `; live memory grows by ${formatBytes(leak.requestedPerStep!)} a step`
    : '';

export function momentWords({ phase, step }: StepMoment): string {
  const of = step === null ? '' : ` of step ${step}`;
  switch (phase) {
    case 'forward':
      return ` in the forward pass${of}`;
    case 'backward':
      return ` in the backward pass${of}`;
    case 'optimizer':
      return ` in the optimizer step${of}`;
    case 'setup':
      return ' before the first step';
    case 'between':
      return step === null ? '' : ` in step ${step}, between the passes`;
    case null:
      return '';
  }
}

export const percent = (share: number) => `${(share * 100).toFixed(share < 0.01 ? 1 : 0)} %`;

const PLURALS: Readonly<Record<Device['categories'][number]['category'], string>> = {
  parameter: 'parameters',
  gradient: 'gradients',
  optimizer_state: 'optimizer state',
  activation: 'activations',
  input: 'inputs',
  temporary: 'temporary',
  workspace: 'workspaces',
  unknown: 'unknown',
};
export const categoryPlural = (category: keyof typeof PLURALS) => PLURALS[category];
