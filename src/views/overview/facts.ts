import type { Device } from '../../analyses/allocations/index.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { isTraceOnly } from '../report/allocations.ts';
import { momentWords, percent } from '../report/allocations-answer.ts';
import { cardsShown } from '../report/gpu.ts';
import { leakSentence } from '../report/leak.ts';
import { accounts } from './accounts.ts';

/** One thing worth knowing at first glance. */
export interface Fact {
  readonly title: string;
  readonly value: string;
  readonly detail: string;
  readonly tone: 'good' | 'bad' | 'plain';
  /** The exact figure behind `value`, where it is one. */
  readonly bytes?: number;
}

/** Peak, who held it, whether it leaks, whether memory ran out. `iterationAt` names a moment's iteration. */
export function facts(
  report: Report,
  iterationAt: (seconds: number) => string,
  live: boolean,
): Fact[] {
  return [
    ...peaks(report, iterationAt),
    ...holder(report),
    leak(report),
    live ? running(report) : outOfMemory(report),
  ];
}

/** Of the card, or of the trace's device, and of the tree: at most two, the scarcer first. */
function peaks(report: Report, iterationAt: (seconds: number) => string): Fact[] {
  const at = (seconds: number) => {
    const iteration = iterationAt(seconds);
    return `at ${formatDuration(seconds)}${iteration === '' ? '' : `, ${iteration}`}`;
  };
  const found: Fact[] = [];
  const device = [...report.devices].sort((a, b) => b.peakRequestedBytes - a.peakRequestedBytes)[0];
  if (device) found.push(devicePeak(device));
  const card = cardsShown(report)
    .filter(({ peak }) => peak)
    .sort((a, b) => b.peak!.bytes - a.peak!.bytes)[0];
  if (card?.peak) {
    const of = card.memoryBytes ? ` of ${formatBytes(card.memoryBytes)}` : '';
    found.push(
      peakFact(`Peak on GPU ${card.gpu}`, card.peak.bytes, `${at(card.peak.seconds)}${of}`),
    );
  }
  const { headline } = report;
  if (headline) {
    const what =
      headline.measure === 'machine' ? 'Peak of the machine' : 'Peak of the process tree';
    const sure = headline.measure === 'upper-bound' ? ', at most' : '';
    found.push(peakFact(`${what}${sure}`, headline.bytes, at(headline.seconds)));
  }
  return found.slice(0, 2);
}

function devicePeak(device: Device): Fact {
  const moment = momentWords(device.peakMoment).trim();
  const reserved = Number.isFinite(device.peakReservedBytes)
    ? `${formatBytes(device.peakReservedBytes)} reserved`
    : '';
  const detail = [moment, reserved].filter(Boolean).join('; ');
  return peakFact(`Peak on ${deviceName(device.device)}`, device.peakRequestedBytes, detail);
}

const peakFact = (title: string, bytes: number, detail: string): Fact => ({
  title,
  value: formatBytes(bytes),
  detail,
  tone: 'plain',
  bytes,
});

function holder(report: Report): Fact[] {
  const [account] = accounts(report);
  const [largest] = [...(account?.parts ?? [])].sort((a, b) => b.bytes - a.bytes);
  if (!account || !largest) return [];
  const sum = account.parts.reduce((all, { bytes }) => all + bytes, 0);
  const share = percent(largest.bytes / Math.max(sum, account.bytes));
  return [
    {
      title: 'Held most of it',
      value: largest.label,
      detail: `${formatBytes(largest.bytes)}, ${share} of ${formatBytes(account.bytes)}`,
      tone: 'plain',
    },
  ];
}

function leak(report: Report): Fact {
  if (isTraceOnly(report)) return traceLeak(report.devices);
  const sentence = leakSentence(report);
  const [, detail = sentence] = /^[^:]*: (?:cannot be told, as )?(.*)$/s.exec(sentence) ?? [];
  const { verdict } = report.leak;
  const value = {
    leak: 'Leaks',
    plateau: 'No leak',
    bounded: 'No leak',
    inconclusive: 'Cannot tell',
  };
  const tone = verdict === 'leak' ? 'bad' : verdict === 'inconclusive' ? 'plain' : 'good';
  return { title: 'Leak', value: value[verdict], detail, tone };
}

function traceLeak(devices: readonly Device[]): Fact {
  const leaking = devices.find(({ leak: { verdict } }) => verdict === 'leak');
  if (leaking) {
    const detail = `live memory grows by ${formatBytes(leaking.leak.requestedPerStep!)} a step`;
    return { title: 'Leak', value: 'Leaks', detail, tone: 'bad' };
  }
  const cached = devices.some(({ leak: { verdict } }) => verdict === 'cache');
  if (cached) {
    const detail = "the allocator's cache grows, what lives does not";
    return { title: 'Leak', value: 'No leak', detail, tone: 'good' };
  }
  const known = devices.some(({ leak: { verdict } }) => verdict !== 'unknown');
  return known
    ? {
        title: 'Leak',
        value: 'No leak',
        detail: 'live memory is the same after each step',
        tone: 'good',
      }
    : { title: 'Leak', value: 'Cannot tell', detail: 'too few steps in the trace', tone: 'plain' };
}

function running({ recording }: Report): Fact {
  const detail = `${formatDuration(recording.durationSeconds)} so far`;
  return { title: 'Out of memory', value: 'Not yet', detail, tone: 'plain' };
}

function outOfMemory({ ending, devices }: Report): Fact {
  const title = 'Out of memory';
  const device = devices.find(({ oom }) => oom !== null);
  if (device?.oom) {
    const detail = `${formatBytes(device.oom.requestedBytes)} asked for on ${deviceName(device.device)}`;
    return { title, value: 'Yes', detail, tone: 'bad' };
  }
  const message = ending.oomMessages.at(-1)?.lines[0];
  if (message) return { title, value: 'Yes', detail: printable(message), tone: 'bad' };
  if (ending.oomKilled) {
    return { title, value: 'Yes', detail: printable(ending.oomEvidence), tone: 'bad' };
  }
  if (ending.how === 'well') return { title, value: 'No', detail: 'ended well', tone: 'good' };
  const how = {
    failed: `exited with code ${ending.code}`,
    killed: `killed by ${printable(ending.signal ?? 'a signal')}`,
    ended: printable(`ended by Highwater: ${ending.endedBy}`),
    'cut-off': 'no end was recorded',
    watched: 'still running at the end',
    imported: 'none in the file',
  }[ending.how];
  const surely = ending.oomKilled === false || ending.how === 'imported';
  return { title, value: surely ? 'No' : 'Not seen', detail: how, tone: 'plain' };
}
