import type { Device } from '../../analyses/allocations/index.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, ellipsize, printable } from '../../base/text.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { categoryPlural, momentWords } from '../../model/allocations/words.ts';
import type { TextTable } from '../table.ts';
import type { Passage } from './section.ts';

type Fragmentation = NonNullable<Device['fragmentation']>;

export function fragmentationPassage(device: Device, width: number): Passage | null {
  const { fragmentation: found } = device;
  if (!found) return null;
  const when = found.when === 'oom' ? 'When memory ran out' : 'At the peak';
  const wide = found.pinnedBytes > found.reservedBytes * 0.05;
  return {
    title: `Fragmentation (${deviceName(device.device)})`,
    blocks: [
      {
        lines: [
          `${when} ${formatBytes(found.reservedBytes)} were reserved for ${formatBytes(found.requestedBytes)} in use: ` +
            `${formatBytes(found.pinnedBytes)} in holes that live blocks pin, ${formatBytes(found.cachedBytes)} in unused segments`,
          `Largest hole: ${formatBytes(found.largestHoleBytes)}` +
            (found.failedRequestBytes === null
              ? ''
              : `; ${formatBytes(found.failedRequestBytes)} were asked for`),
          ...found.advice.map(
            ({ setting, reservedBytes, insteadBytes, enough }) =>
              `With ${setting} it would reserve ${formatBytes(reservedBytes)} instead of ${formatBytes(insteadBytes)}, by a replay of the trace` +
              (enough === null
                ? ''
                : enough
                  ? ', and would not have run out'
                  : ', and run out all the same'),
          ),
        ],
      },
      ...(wide ? [{ table: pinnedRows(found, width) }] : []),
    ],
  };
}

/** The segments that live blocks pin, and which block does most. */
function pinnedRows({ segments, others }: Fragmentation, width: number): TextTable {
  return {
    head: ['segment', 'size', 'pinned', 'largest hole', 'pinned by'],
    body: segments.map((segment) => [
      segment.address,
      formatBytes(segment.bytes),
      formatBytes(segment.pinnedBytes),
      formatBytes(segment.largestHoleBytes),
      ellipsize(
        printable(
          `${count(segment.liveBlocks, 'block')}, largest ${formatBytes(segment.holder.bytes)} ${categoryPlural(segment.holder.category)}: ${segment.holder.where}`,
        ),
        Math.max(30, width - 56),
      ),
    ]),
    right: new Set([1, 2, 3]),
    rest:
      others.count > 0
        ? `and ${count(others.count, 'more segment')}: ${formatBytes(others.pinnedBytes)} pinned`
        : null,
  };
}

export function oomPassage(device: Device, width: number): Passage | null {
  const { oom } = device;
  if (!oom) return null;
  const grown =
    oom.growthBytes === null
      ? []
      : [`Against the peak of the step before: ${formatDelta(oom.growthBytes)}`];
  const times = oom.times > 1 ? [`Memory ran out ${oom.times} times; this is the last`] : [];
  return {
    title: `Out of memory (${deviceName(device.device)})`,
    blocks: [
      {
        lines: [
          `${formatBytes(oom.requestedBytes)} asked for${momentWords(oom.moment)}; the device had ${formatBytes(oom.deviceFreeBytes)} free` +
            (oom.limited
              ? ': a limit set for the process stopped it (set_per_process_memory_fraction)'
              : `, ${formatBytes(oom.missingBytes)} were missing`),
          ...(oom.where === null ? [] : [`Asked for by ${printable(oom.where)}`]),
          `The allocator held ${formatBytes(oom.reservedBytes)}, ${formatBytes(oom.liveBytes)} of it in use; largest hole ${formatBytes(oom.largestHoleBytes)}`,
          `In use: ${oom.categories.map(({ category, bytes }) => `${formatBytes(bytes)} ${categoryPlural(category)}`).join(', ')}`,
          ...grown,
          ...times,
        ],
      },
      {
        table: {
          head: ['would free', 'enough', 'what to do'],
          body: oom.fixes.map(({ what, bytes, enough }) => [
            formatBytes(bytes),
            enough ? 'yes' : 'no',
            ellipsize(printable(what), Math.max(30, width - 26)),
          ]),
          right: new Set([0]),
          rest: null,
        },
      },
    ],
  };
}
