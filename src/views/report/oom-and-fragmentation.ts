import type { Device } from '../../analyses/allocations/index.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, ellipsize, percent, printable } from '../../base/text.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { categoryPlural, momentWords } from '../../model/allocations/words.ts';
import { NONE, type TextTable } from '../table.ts';
import type { Passage } from './section.ts';

type Fragmentation = NonNullable<Device['fragmentation']>;

export function fragmentationPassage(device: Device, width: number): Passage | null {
  const { fragmentation: found } = device;
  if (!found) return null;
  const when = found.when === 'oom' ? 'When memory ran out' : 'At the peak';
  const wide = found.pinnedBytes > found.reservedBytes * 0.05;
  return {
    title: `Fragmentation (${deviceName(device.device)})`,
    about: found.when === 'oom' ? 'oom' : 'device-peak',
    blocks: [
      {
        lines: [
          `${when} ${formatBytes(found.reservedBytes)} were reserved for ${formatBytes(found.requestedBytes)} in use: ` +
            `${formatBytes(found.pinnedBytes)} in holes that live blocks pin, ${formatBytes(found.cachedBytes)} in unused segments`,
          `Largest hole: ${formatBytes(found.largestHoleBytes)}` +
            (found.failedRequestBytes === null
              ? ''
              : `; ${formatBytes(found.failedRequestBytes)} were asked for`),
          ...found.advice.map(adviceWords),
        ],
      },
      ...(wide ? [{ table: pinnedRows(found, width) }] : []),
    ],
  };
}

/** What another setting of the allocator would come to. */
export function adviceWords(advice: Fragmentation['advice'][number]): string {
  const { setting, reservedBytes, insteadBytes, enough } = advice;
  const ends =
    enough === null ? '' : enough ? ', and would not have run out' : ', and run out all the same';
  return `With ${setting} it would reserve ${formatBytes(reservedBytes)} instead of ${formatBytes(insteadBytes)}, by a replay of the trace${ends}`;
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

/** `played`: what the recording's own `--gpu-limit` left to torch; null: there was none. */
export function oomPassage(device: Device, played: number | null, width: number): Passage | null {
  const { oom } = device;
  if (!oom) return null;
  const serves = oom.work.does === 'serves';
  const grown =
    oom.growthBytes === null || serves
      ? []
      : [`Against the peak of the step before: ${formatDelta(oom.growthBytes)}`];
  const times = oom.times > 1 ? [`Memory ran out ${oom.times} times; this is the last`] : [];
  const causes = oom.causes.length > 0 ? [{ table: causeRows(oom, width) }] : [];
  return {
    title: `Out of memory (${deviceName(device.device)})`,
    about: 'oom',
    blocks: [
      {
        lines: [
          `${formatBytes(oom.requestedBytes)} asked for${momentWords(oom.moment, oom.work.does)}; the device had ${formatBytes(oom.deviceFreeBytes)} free` +
            (oom.limited ? limitWords(played) : `, ${formatBytes(oom.missingBytes)} were missing`),
          ...(oom.where === null ? [] : [`Asked for by ${printable(oom.where)}`]),
          `The allocator held ${formatBytes(oom.reservedBytes)}, ${formatBytes(oom.liveBytes)} of it in use; largest hole ${formatBytes(oom.largestHoleBytes)}`,
          `In use: ${oom.categories.map(({ category, bytes }) => `${formatBytes(bytes)} ${categoryPlural(category)}`).join(', ')}`,
          ...grown,
          ...times,
        ],
      },
      ...causes,
      ...(oom.fixes.length > 0 ? [{ table: fixRows(oom, width) }] : []),
    ],
  };
}

const limitWords = (played: number | null) =>
  played === null
    ? ': a limit set for the process stopped it (set_per_process_memory_fraction)'
    : `: --gpu-limit played a card with ${formatBytes(played)} for torch, and that was full`;

type FailedRequest = NonNullable<Device['oom']>;

/** Each cause with the first thing that speaks for it; of the surest all that does. */
function causeRows({ causes }: FailedRequest, width: number): TextTable {
  const body = causes.flatMap(({ id, certainty, bytes, evidence, against }, i) => {
    const said = evidence.slice(0, i === 0 ? evidence.length : 1).map(inFull);
    const but = i === 0 ? against.map((one) => `but ${inFull(one)}`) : [];
    const lines = [...said, ...but].map((line) =>
      ellipsize(printable(line), Math.max(30, width - 46)),
    );
    return lines.map((line, n) =>
      n === 0 ? [percent(certainty), formatBytes(bytes), id, line] : ['', '', '', line],
    );
  });
  return { head: ['sure', 'bytes', 'cause', 'because'], body, right: new Set([0, 1]), rest: null };
}

const inFull = ({ statement, texts = {} }: FailedRequest['causes'][number]['evidence'][number]) =>
  statement.replace(/\{(\w+)\}/g, (name, key: string) =>
    Object.hasOwn(texts, key) ? texts[key]! : name,
  );

/** What each change comes to: tried on the trace, where that can be. */
function fixRows({ fixes }: FailedRequest, width: number): TextTable {
  return {
    head: ['then it', 'to spare', 'would free', 'what to do'],
    body: fixes.map(({ what, bytes, outcome, margin }) => [
      outcome === 'unknown' ? 'not known' : outcome,
      margin === null ? NONE : formatBytes(margin),
      formatBytes(bytes),
      ellipsize(printable(what), Math.max(30, width - 40)),
    ]),
    right: new Set([1, 2]),
    rest: null,
  };
}
