import type { NumberOrNaN } from '../../../base/stats.ts';
import { summary } from '../../../model/allocations/curve.ts';
import { type DeviceId, deviceId } from '../../../model/allocations/device-name.ts';
import { traces } from '../../../model/allocations/trace.ts';
import type { NamedRecording, Recording } from '../../../model/recording.ts';
import { type DeviceDifference, deviceDifference, type NamedTrace } from './device.ts';
import { notes } from './notes.ts';
import { type SettingDifference, settingDifferences } from './settings.ts';

export type { Change, Share } from './change.ts';
export type { SegmentChange } from './segments.ts';
export type { SiteChange } from './site-changes.ts';
export type { DeviceDifference, SettingDifference };

/** Allocation traces side by side, by what the program did and never by address. */
export interface AllocationComparison {
  readonly type: 'allocation-comparison';
  /** Every device of every run, in the order given. */
  readonly devices: readonly DeviceFigures[];
  /** Each other run against the first, or against the one asked for; a pair for each device. */
  readonly differences: readonly DeviceDifference[];
  readonly settings: readonly SettingDifference[];
  /** What to know before trusting the figures. */
  readonly notes: readonly string[];
}

export interface DeviceFigures {
  readonly run: string;
  readonly device: DeviceId;
  readonly events: number;
  readonly peakRequestedBytes: number;
  readonly peakEvent: number;
  readonly peakReservedBytes: NumberOrNaN;
  readonly endRequestedBytes: number;
}

export const hasTraces = (recording: Recording): boolean => traces(recording).length > 0;

/** null where no run has an allocation trace. */
export function compareAllocations(
  given: readonly NamedRecording[],
  baseline?: string,
): AllocationComparison | null {
  const runs = given.filter(({ recording }) => hasTraces(recording));
  const first = firstOf(runs, baseline);
  if (!first) return null;
  const differences = tracePairs(given, baseline).map(([a, b]) => deviceDifference(a, b));
  return {
    type: 'allocation-comparison',
    devices: runs.flatMap(tracesOf).map(figures),
    differences,
    settings: settingDifferences(runs),
    notes: notes(runs, first, differences),
  };
}

/** Traces that are held against each other, in the order of `differences`. */
export function tracePairs(
  given: readonly NamedRecording[],
  baseline?: string,
): [NamedTrace, NamedTrace][] {
  const runs = given.filter(({ recording }) => hasTraces(recording));
  const first = firstOf(runs, baseline);
  if (!first) return [];
  return runs
    .filter((run) => run !== first)
    .flatMap((run) => pairs(tracesOf(first), tracesOf(run)));
}

const firstOf = (runs: readonly NamedRecording[], baseline: string | undefined) =>
  runs.find(({ name }) => name === baseline) ?? runs[0];

function figures({ name, trace }: NamedTrace): DeviceFigures {
  const bytes = summary(trace);
  return {
    run: name,
    device: deviceId(trace.device),
    events: trace.events,
    peakRequestedBytes: bytes.peakRequested,
    peakEvent: bytes.peakEvent,
    peakReservedBytes: bytes.peakReserved,
    endRequestedBytes: bytes.endRequested,
  };
}

const tracesOf = ({ name, recording }: NamedRecording): NamedTrace[] =>
  traces(recording).map((trace) => ({ name, recording, trace }));

/** The same devices of both; where each used one GPU and not the same, these. */
function pairs(a: readonly NamedTrace[], b: readonly NamedTrace[]): [NamedTrace, NamedTrace][] {
  const same = a.flatMap((one): [NamedTrace, NamedTrace][] => {
    const other = b.find(({ trace }) => trace.device === one.trace.device);
    return other ? [[one, other]] : [];
  });
  const [mine, its] = [gpusOf(a), gpusOf(b)];
  const lone = mine.length === 1 && its.length === 1 && !same.some(([one]) => one === mine[0]);
  return lone ? [[mine[0]!, its[0]!], ...same] : same;
}

const gpusOf = (all: readonly NamedTrace[]) =>
  all.filter(({ trace }) => typeof deviceId(trace.device) === 'number');
