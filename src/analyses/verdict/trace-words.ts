import { formatBytes } from '../../base/bytes.ts';
import { count, percent, withoutAsides } from '../../base/text.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { categoryPlural, momentWords } from '../../model/allocations/words.ts';
import { GIVE_ROOM } from '../../model/verdict.ts';
import type { Fix } from '../allocations/failure/fixes.ts';
import type { Device } from '../allocations/index.ts';
import type { FailedRequest } from '../allocations/oom.ts';
import type { ReportFacts } from '../report-facts.ts';
import { firstDevice } from '../trace-only.ts';
import type { VerdictBuilder } from './builder.ts';
import { whyWords } from './failure/words.ts';

/** What a report on an allocation trace says first. */
export function traceWords({ devices }: ReportFacts, words: VerdictBuilder): string {
  const device = firstDevice(devices)!;
  const others = devices.length > 1 ? `; ${count(devices.length - 1, 'more device')}` : '';
  const what = device.oom ? oomWords(device, words) : tracePeak(device);
  return `${what}${growthWords(device, words)}${others}.`;
}

function tracePeak(device: Device): string {
  const peak = formatBytes(device.peakRequestedBytes);
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
  return `Peak ${peak} requested ${where}${momentWords(device.peakMoment)}${split}`;
}

function oomWords(device: Device, words: VerdictBuilder): string {
  const oom = device.oom!;
  const why = whyWords(oom.causes, oom.work);
  return (
    `Out of memory on ${deviceName(device.device)}${momentWords(oom.moment, oom.work.does)}: ${formatBytes(oom.requestedBytes)} asked for, ` +
    `${formatBytes(oom.deviceFreeBytes)} free${oom.limited ? ' but a limit in force' : ''}${why === '' ? '' : `: ${why}`}${remedyWords(oom, words)}`
  );
}

/** What would have helped most, and whether a replay shows that it would; nothing where nothing does. */
export function remedyWords({ fixes }: FailedRequest, words: VerdictBuilder): string {
  const [best] = fixes;
  if (!best || best.outcome === 'dies') return '';
  const what = shortFix(best, words);
  const spare = best.margin ? `, with ${formatBytes(best.margin)} to spare` : '';
  if (best.outcome === 'runs') return `; it would run if you ${what}${spare}`;
  const gain = GIVE_ROOM.includes(best.id) ? 'more to be had' : 'less';
  return `; up to ${formatBytes(best.bytes)} ${gain} if you ${what}`;
}

/** A fix without its asides and its figures, which stand beside it. */
function shortFix({ what, where }: Fix, words: VerdictBuilder): string {
  if (where === null) return withoutAsides(what).split(': ')[0]!;
  return `${withoutAsides(what.slice(0, -where.length))}${words.theirs('place', withoutAsides(where))}`;
}

/** A fix without what the program calls its places. */
export const fixWords = ({ what, where }: Fix, words: VerdictBuilder): string =>
  where === null ? what : `${what.slice(0, -where.length)}${words.theirs('place', where)}`;

/** Where memory ran out, the cause has said it. */
function growthWords({ leak, oom }: Device, words: VerdictBuilder): string {
  if (leak.verdict !== 'leak' || oom) return '';
  const [most] = leak.stacks;
  const by = most ? `, most of it made at ${words.theirs('grower', most.where)}` : '';
  return `; live memory grows by ${formatBytes(leak.requestedPerStep!)} a step${by}`;
}
