import type { Report } from '../../analyses/report.ts';
import { printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { plural } from '../report/allocations-answer.ts';
import { cardsShown } from '../report/gpu.ts';
import { bandWords, processWords, whenWords } from '../report/layers.ts';

/** What memory was made of at one moment: parts that add up to `bytes`. */
export interface Account {
  readonly title: string;
  readonly bytes: number;
  readonly parts: readonly AccountPart[];
  /** What the parts are of: decides their colours. */
  readonly of: 'categories' | 'processes' | 'model';
}

export interface AccountPart {
  readonly key: string;
  readonly label: string;
  readonly bytes: number;
  /** Why it is thought to be that, where that is told. */
  readonly about: string | null;
}

/** Everything the report can take apart at its peak; what runs out first comes first. */
export function accounts(report: Report): Account[] {
  const all = [...devices(report), ...cards(report), ...models(report), ...tree(report)];
  return all.filter(({ bytes, parts }) => bytes > 0 && parts.length > 0);
}

function devices({ devices: all }: Report): Account[] {
  return [...all]
    .sort((a, b) => b.peakRequestedBytes - a.peakRequestedBytes)
    .map((device) => ({
      title: `${capital(deviceName(device.device))}, requested, at its peak (event ${device.peakEvent})`,
      bytes: device.peakRequestedBytes,
      of: 'categories',
      parts: device.categories.map(({ category, bytes, reason }) => ({
        key: category,
        label: plural(category),
        bytes,
        about: reason,
      })),
    }));
}

function cards(report: Report): Account[] {
  return cardsShown(report).flatMap((gpu): Account[] => {
    if (!gpu.peak || !gpu.accounting) return [];
    const processes = gpu.accounting.processes.map(({ pid, role, bytes, ofTree }) => ({
      key: String(pid),
      label: printable(role ?? (ofTree === false ? `another's process ${pid}` : `process ${pid}`)),
      bytes: bytes ?? 0,
      about: null,
    }));
    const rest = Math.max(0, gpu.accounting.unexplainedBytes);
    const left = { key: 'rest', label: 'held by no listed process', bytes: rest, about: null };
    return [
      {
        title: `GPU ${gpu.gpu} at its peak (${formatDuration(gpu.peak.seconds)})`,
        bytes: gpu.peak.bytes,
        of: 'processes',
        parts: [...processes, left].filter(({ bytes }) => bytes > 0),
      },
    ];
  });
}

function models({ layers }: Report): Account[] {
  return layers.flatMap(({ accounting, ...model }): Account[] => {
    if (!accounting) return [];
    const { bands, residueBytes, measuredBytes, measure, at } = accounting;
    const rest = measure === 'rss' ? 'rest of the process' : 'context and others';
    return [
      {
        title: `${capital(processWords(model))} at ${whenWords(at)}, ${measure === 'rss' ? 'RSS' : 'GPU memory'}`,
        bytes: measuredBytes,
        of: 'model',
        parts: [
          ...bands.map(({ band, bytes }) => ({
            key: band,
            label: bandWords(band),
            bytes,
            about: null,
          })),
          { key: 'rest', label: rest, bytes: residueBytes, about: null },
        ].filter(({ bytes }) => bytes > 0),
      },
    ];
  });
}

function tree({ processes }: Report): Account[] {
  const held = processes.roles.map((facts) => ({
    key: facts.role || facts.name,
    label: printable(facts.role || facts.name || `pid ${facts.pids[0]}`),
    bytes: facts.pssAtPeak ?? facts.rssAtPeak ?? 0,
    about: facts.argv ? printable(facts.argv) : null,
  }));
  const parts = held.filter(({ bytes }) => bytes > 0);
  const at = processes.peakSeconds === null ? '' : ` (${formatDuration(processes.peakSeconds)})`;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  return [{ title: `Process tree at its peak${at}`, bytes, of: 'processes', parts }];
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);
