import type { Report } from '../report.ts';
import { lacking } from './incomplete.ts';

/** What limits are checked against: small enough to be kept in a repository as a baseline. */
export interface RunFigures {
  readonly id: string;
  readonly name: string;
  readonly startedAt: string;
  /** The highest of each series, in bytes. */
  readonly peaks: Readonly<Record<string, number>>;
  /** What the peak was made of, the largest of each kind, so that a failure can name what grew. */
  readonly parts: readonly PeakPart[];
  /** What the recording lacks: its peaks are the least that was; absent where it is whole. */
  readonly lacks?: string;
}

export interface PeakPart {
  readonly by: 'layer' | 'category' | 'stack' | 'process';
  readonly name: string;
  readonly bytes: number;
}

/** Of each kind: what is smaller never explains a failure, and baselines stay small. */
const MOST_PARTS = 40;

export function runFigures(report: Report): RunFigures {
  const { id, name, startedAt } = report.recording;
  const traced = report.devices.flatMap(({ device, peakRequestedBytes, peakReservedBytes }) => [
    [`torch${device}.requested`, peakRequestedBytes] as const,
    [`torch${device}.reserved`, peakReservedBytes] as const,
  ]);
  const sampled = report.peaks.map(({ series, bytes }) => [series, bytes] as const);
  // What the allocator itself counted comes last, as it missed nothing between two samples.
  const peaks = Object.fromEntries([...sampled, ...traced].filter(([, bytes]) => bytes >= 0));
  const lacks = lacking(report);
  return { id, name, startedAt, peaks, parts: parts(report), ...(lacks !== null && { lacks }) };
}

function parts({ layers, devices, processes }: Report): PeakPart[] {
  return [
    ...largest(
      'layer',
      layers.flatMap((model) =>
        model.parts.map(({ name, kind, bytes }) => ({ name: `${name} (${kind})`, bytes })),
      ),
    ),
    ...largest(
      'category',
      devices.flatMap((one) =>
        one.categories.map(({ category, bytes }) => ({
          name: `${category} on device ${one.device}`,
          bytes,
        })),
      ),
    ),
    ...largest(
      'stack',
      devices.flatMap((one) => one.topStacks.map(({ where, bytes }) => ({ name: where, bytes }))),
    ),
    ...largest(
      'process',
      processes.roles.map(({ role, name, pssAtPeak, rssAtPeak }) => ({
        name: role || name,
        bytes: pssAtPeak ?? rssAtPeak ?? 0,
      })),
    ),
  ];
}

function largest(
  by: PeakPart['by'],
  found: readonly { name: string; bytes: number }[],
): PeakPart[] {
  const sums = new Map<string, number>();
  for (const { name, bytes } of found) sums.set(name, (sums.get(name) ?? 0) + bytes);
  return [...sums]
    .filter(([, bytes]) => bytes > 0)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_PARTS)
    .map(([name, bytes]) => ({ by, name, bytes }));
}
