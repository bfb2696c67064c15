import type { Device } from '../../analyses/allocations/index.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { capitalized, count, ellipsize, percent, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { categoryPlural } from '../../model/allocations/words.ts';
import { NONE, type TextTable } from '../table.ts';
import { fragmentationPassage, oomPassage } from './oom-and-fragmentation.ts';
import type { Account, Passage, Tile } from './section.ts';

/** Nothing was sampled: what is said of samples would say nothing. */
export const isTraceOnly = ({ devices, sampling }: Report) =>
  devices.length > 0 && sampling.samples === 0;

/** One row that says that nothing is known is said by a warning as well. */
const hasStacks = ({ topStacks }: Device) => topStacks.some(({ frames }) => frames.length > 0);

/** Everything a report says of allocation traces, device by device. */
export function allocationPassages({ devices, inside }: Report, width: number): Passage[] {
  return devices.flatMap((device) => {
    const name = deviceName(device.device);
    const played = inside.gpuLimits.find((one) => one.device === device.device);
    const stacks = { table: stackRows(device, width) };
    // Categories are about training, and that happens on the card.
    if (typeof device.device !== 'number') {
      return [
        {
          title: capitalized(name),
          about: 'device-peak',
          blocks: [{ lines: [peakLine(device)] }, stacks],
        },
      ];
    }
    const passages: (Passage | null)[] = [
      oomPassage(device, played?.allowedBytes ?? null, width),
      {
        title: `Live at the peak of ${name}`,
        about: 'device-peak',
        blocks: [{ lines: [peakLine(device)] }, { table: categoryRows(device, width) }],
      },
      hasStacks(device)
        ? { title: `Who made it (${name})`, about: 'device-peak', blocks: [stacks] }
        : null,
      device.topTags.length > 0
        ? {
            title: `Tags (${name})`,
            about: 'device-peak',
            blocks: [{ table: tagRows(device, width) }],
          }
        : null,
      stepPassage(device),
      fragmentationPassage(device, width),
    ];
    return passages.filter((passage) => passage !== null);
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

function categoryRows(device: Device, width: number): TextTable {
  const body = device.categories.flatMap((share) => [
    [
      categoryPlural(share.category),
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

function stackRows({ topStacks, otherStacks }: Device, width: number): TextTable {
  return {
    head: ['bytes', 'blocks', 'category', 'where'],
    body: topStacks.map(({ bytes, allocations, category, where }) => [
      formatBytes(bytes),
      String(allocations),
      categoryPlural(category),
      ellipsize(printable(where), Math.max(30, width - 36)),
    ]),
    right: new Set([0, 1]),
    rest: rest(otherStacks, 'stack'),
  };
}

function tagRows({ topTags, otherTags }: Device, width: number): TextTable {
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

function stepPassage({ steps, leak, untilFull, device }: Device): Passage | null {
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
  // A program that only serves takes no steps.
  const isPass = steps.endedBy === 'forward';
  const many = isPass
    ? count(steps.count, 'forward pass', 'forward passes')
    : `${count(steps.count, 'step')} by ${by}`;
  return {
    title: `${isPass ? 'Forward passes' : 'Steps'} (${deviceName(device)})`,
    about: 'leak',
    blocks: [
      {
        lines: [
          printable(`${many}, from ${steps.foundBy}${each}${time}`),
          ...leakLines({ leak, untilFull }, isPass),
        ],
      },
    ],
  };
}

function leakLines(
  { leak, untilFull }: Pick<Device, 'leak' | 'untilFull'>,
  isPass: boolean,
): string[] {
  const [one, many] = isPass ? ['forward pass', 'forward passes'] : ['step', 'steps'];
  switch (leak.verdict) {
    case 'leak':
      return [
        `Leak: live bytes grow by ${formatBytes(leak.requestedPerStep!)} a ${one} over ${leak.steps} ${many}${untilFullWords(untilFull)}`,
        ...leak.stacks.map(({ bytesPerStep, where }) =>
          printable(`  ${formatDelta(bytesPerStep)} a ${one}: ${where}`),
        ),
      ];
    case 'cache':
      return [
        `No leak: live bytes stay the same; only the allocator's cache grows, by ${formatBytes(leak.reservedPerStep!)} a ${one}`,
      ];
    case 'warm-up':
      return [`No leak: memory grew in the first ${many} only`];
    case 'none':
      return [`No leak: live bytes are the same at the start of each of ${leak.steps} ${many}`];
    case 'unknown':
      return [
        leak.boundPerStep === null
          ? `Leak or not: too few ${many} to tell`
          : `Leak or not: live bytes grew by at most ${formatBytes(leak.boundPerStep)} a ${one}; ${leak.steps} ${many} do not tell whether that is over`,
      ];
  }
}

function untilFullWords(until: Device['untilFull']): string {
  if (until === null) return '';
  const { cardBytes, steps, seconds } = until;
  const lasts = `${count(steps, 'step')}${seconds === null ? '' : ` (${formatDuration(seconds)})`}`;
  return cardBytes === null
    ? `; each GiB that the card still has lasts ${lasts}`
    : `; the card's ${formatBytes(cardBytes)} are full after at most ${lasts} more`;
}

/** What each device held at its peak, the fullest first. */
export function deviceAccounts({ devices: all }: Report): Account[] {
  return [...all]
    .sort((a, b) => b.peakRequestedBytes - a.peakRequestedBytes)
    .map((device) => ({
      title: `${capitalized(deviceName(device.device))}, at its peak (event ${device.peakEvent})`,
      bytes: device.peakRequestedBytes,
      counted: 'requested',
      of: 'kinds',
      parts: device.categories.map(({ category, bytes, reason }) => ({
        key: category,
        label: categoryPlural(category),
        bytes,
        about: reason,
      })),
    }));
}

/** Whether what lives grows, of a trace without samples beside it. */
export function traceLeakTile(devices: readonly Device[]): Tile {
  const tile = (value: string, detail: string, tone: Tile['tone']): Tile => ({
    title: 'Leak',
    value,
    detail,
    tone,
    opens: 'leak',
  });
  const leaking = devices.find(({ leak: { verdict } }) => verdict === 'leak')?.leak;
  if (leaking) {
    const [most] = leaking.stacks;
    const where = most ? `, most of it made at ${printable(most.where)}` : '';
    const rate = `live memory grows by ${formatBytes(leaking.requestedPerStep!)} a step`;
    return tile('Leaks', `${rate}${where}`, 'bad');
  }
  if (devices.some(({ leak: { verdict } }) => verdict === 'cache')) {
    return tile('No leak', "the allocator's cache grows, what lives does not", 'good');
  }
  return devices.some(({ leak: { verdict } }) => verdict !== 'unknown')
    ? tile('No leak', 'live memory is the same after each step', 'good')
    : tile('Cannot tell', 'too few steps in the trace', 'plain');
}
