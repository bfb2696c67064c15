import type { Device } from '../../analyses/allocations/index.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, ellipsize, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { NONE, type Rows, type Section } from '../rows.ts';
import { percent, plural } from './allocations-answer.ts';
import { fragmentationSection, oomSection } from './allocations-waste.ts';

/** Nothing was sampled: what is said of samples would say nothing. */
export const isTraceOnly = ({ devices, headline, sampling }: Report) =>
  devices.length > 0 && !headline && sampling.samples === 0;

/** One row that says that nothing is known is said by a warning as well. */
const hasStacks = ({ topStacks }: Device) => topStacks.some(({ frames }) => frames.length > 0);

/** Everything a report says of allocation traces, device by device. */
export function allocationSections({ devices }: Report, width: number): Section[] {
  return devices.flatMap((device) => {
    const name = deviceName(device.device);
    const stacks = { title: `Who made it (${name})`, lines: [], rows: stackRows(device, width) };
    // Categories are about training, and that happens on the card.
    if (typeof device.device !== 'number') {
      return [
        {
          title: name[0]!.toUpperCase() + name.slice(1),
          lines: [peakLine(device)],
          rows: stacks.rows,
        },
      ];
    }
    const parts: (Section | null)[] = [
      oomSection(device, width),
      {
        title: `Live at the peak of ${name}`,
        lines: [peakLine(device)],
        rows: categoryRows(device, width),
      },
      hasStacks(device) ? stacks : null,
      device.topTags.length > 0
        ? { title: `Tags (${name})`, lines: [], rows: tagRows(device, width) }
        : null,
      stepSection(device),
      fragmentationSection(device, width),
    ];
    return parts.filter((part) => part !== null);
  });
}

function peakLine(device: Device): string {
  const at =
    device.peakSeconds === null ? '' : `, ${formatDuration(device.peakSeconds)} into the trace`;
  return (
    `${formatBytes(device.peakRequestedBytes)} requested after event ${device.peakEvent} of ${device.events}${at}; ` +
    `began with ${formatBytes(device.startRequestedBytes)}, ended with ${formatBytes(device.endRequestedBytes)}`
  );
}

function categoryRows(device: Device, width: number): Rows {
  const body = device.categories.flatMap((share) => [
    [
      plural(share.category),
      formatBytes(share.bytes),
      percent(share.bytes / Math.max(1, device.peakRequestedBytes)),
      share.category === 'unknown' ? NONE : percent(share.confidence),
      ellipsize(share.reason, Math.max(30, width - 50)),
    ],
    ...share.parts.map(({ part, bytes }) => [
      `  of it ${part}`,
      formatBytes(bytes),
      percent(bytes / Math.max(1, device.peakRequestedBytes)),
      '',
      '',
    ]),
  ]);
  return {
    head: ['category', 'bytes', 'share', 'sure', 'why (of most of it)'],
    body,
    right: new Set([1, 2, 3]),
    rest: null,
  };
}

function stackRows({ topStacks, otherStacks }: Device, width: number): Rows {
  return {
    head: ['bytes', 'blocks', 'category', 'where'],
    body: topStacks.map(({ bytes, allocations, category, where }) => [
      formatBytes(bytes),
      String(allocations),
      plural(category),
      ellipsize(printable(where), Math.max(30, width - 36)),
    ]),
    right: new Set([0, 1]),
    rest: rest(otherStacks, 'stack'),
  };
}

function tagRows({ topTags, otherTags }: Device, width: number): Rows {
  return {
    head: ['bytes', 'blocks', 'tag'],
    body: topTags.map(({ bytes, allocations, tag }) => [
      formatBytes(bytes),
      String(allocations),
      ellipsize(printable(tag), Math.max(30, width - 22)),
    ]),
    right: new Set([0, 1]),
    rest: rest(otherTags, 'tag'),
  };
}

const rest = (others: { count: number; bytes: number }, noun: string) =>
  others.count > 0
    ? `and ${count(others.count, `more ${noun}`)}: ${formatBytes(others.bytes)}`
    : null;

function stepSection({ steps, leak, device }: Device): Section | null {
  if (steps.count === 0) return null;
  const each =
    steps.medianPeakRequestedBytes === null
      ? ''
      : `, median peak ${formatBytes(steps.medianPeakRequestedBytes)}`;
  const time = steps.medianSeconds === null ? '' : `, ${formatDuration(steps.medianSeconds)} each`;
  const by =
    steps.endedBy === 'optimizer'
      ? `steps of the optimizer${steps.optimizers.length > 0 ? ` (${steps.optimizers.join(', ')})` : ''}`
      : `${steps.endedBy} passes`;
  return {
    title: `Steps (${deviceName(device)})`,
    lines: [
      printable(`${count(steps.count, 'step')} by ${by}, from ${steps.foundBy}${each}${time}`),
      ...leakLines(leak),
    ],
    rows: null,
  };
}

function leakLines(leak: Device['leak']): string[] {
  switch (leak.verdict) {
    case 'leak':
      return [
        `Leak: live bytes grow by ${formatBytes(leak.requestedPerStep!)} a step over ${leak.steps} steps`,
        ...leak.stacks.map(({ bytesPerStep, where }) =>
          printable(`  ${formatDelta(bytesPerStep)} a step: ${where}`),
        ),
      ];
    case 'cache':
      return [
        `No leak: live bytes stay the same; only the allocator's cache grows, by ${formatBytes(leak.reservedPerStep!)} a step`,
      ];
    case 'warm-up':
      return ['No leak: memory grew in the first steps only'];
    case 'none':
      return [`No leak: live bytes are the same at the start of each of ${leak.steps} steps`];
    case 'unknown':
      return ['Leak or not: too few steps to tell'];
  }
}
