import { type DeviceId, deviceId } from '../../model/allocations/device-name.ts';
import { liveRows } from '../../model/allocations/live.ts';
import { type DeviceTrace, traces } from '../../model/allocations/trace.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { type CategoryShare, categories } from '../allocations/categories.ts';
import { surveyOf } from '../allocations/evidence/survey.ts';
import { type StackShare, type Top, topStacks } from '../allocations/top-stacks.ts';
import { laterBy, sourcesOf } from './index.ts';
import type { Clock } from './panel.ts';
import { indexFrom, type PanelCurve, xAt } from './panel-curve.ts';

/** What changed from one moment to a later one. */
export interface Between {
  readonly type: 'between';
  readonly clock: Clock;
  readonly from: number;
  readonly to: number;
  /** Each thing that is drawn: what it was at both, by its last sample; null where it had none yet. */
  readonly changes: readonly PanelChange[];
  readonly devices: readonly DeviceBetween[];
}

export interface PanelChange {
  /** Of the panel. */
  readonly panel: string;
  readonly key: string;
  readonly fromBytes: number | null;
  readonly toBytes: number | null;
}

/** What an allocator handed out between the two and had not got back at the second. */
export interface DeviceBetween {
  readonly device: DeviceId;
  /** The states after these events are compared; -1: before the first. */
  readonly fromEvent: number;
  readonly toEvent: number;
  readonly bytes: number;
  readonly allocations: number;
  /** What lived at the first and was given back before the second. */
  readonly freedBytes: number;
  readonly categories: readonly CategoryShare[];
  readonly topStacks: readonly StackShare[];
  readonly otherStacks: Top<StackShare>['others'];
}

const MOST_STACKS = 15;

export function between(
  recording: Recording,
  snapshots: readonly Recording[],
  { clock, from, to }: Pick<Between, 'clock' | 'from' | 'to'>,
): Between {
  const zero = origin(recording).ns;
  const memory = sourcesOf(recording, snapshots, clock, zero).filter(({ unit }) => !unit);
  const changes = memory.flatMap((panel) => [
    ...panel.lines.map(
      ({ series, curve }): PanelChange => ({
        panel: panel.id,
        key: series,
        fromBytes: valueAt(curve, from),
        toBytes: valueAt(curve, to),
      }),
    ),
    ...(panel.stack ? bandChanges(panel.id, panel.stack, from, to) : []),
  ]);
  const devices = [recording, ...snapshots].flatMap((one) => {
    const start = zero - laterBy(one, recording);
    return traces(one).map((trace) => {
      const event = (x: number) => eventAt(trace, clock, x, start);
      return deviceBetween(one, trace, event(from), event(to));
    });
  });
  return { type: 'between', clock, from, to, changes, devices };
}

function bandChanges(
  panel: string,
  {
    total,
    bands,
  }: { total: PanelCurve; bands(rows: Uint32Array): { key: string; bytes: Float64Array }[] },
  from: number,
  to: number,
): PanelChange[] {
  const rows = Uint32Array.of(rowAt(total, from), rowAt(total, to));
  if (rows[0] === NONE || rows[1] === NONE) return [];
  const parts = bands(rows).map(({ key, bytes }) => ({
    panel,
    key,
    fromBytes: bytes[0]!,
    toBytes: bytes[1]!,
  }));
  const sum = (side: 'fromBytes' | 'toBytes') => parts.reduce((all, one) => all + one[side], 0);
  return [{ panel, key: 'all', fromBytes: sum('fromBytes'), toBytes: sum('toBytes') }, ...parts];
}

const NONE = 2 ** 32 - 1;

/** The last sample up to `x`. */
function rowAt(curve: PanelCurve, x: number): number {
  const next = indexFrom(curve, x);
  if (next < curve.y.length && xAt(curve, next) === x) return next;
  return next === 0 ? NONE : next - 1;
}

function valueAt(curve: PanelCurve, x: number): number | null {
  const row = rowAt(curve, x);
  const value = row === NONE ? Number.NaN : curve.y[row]!;
  return Number.isNaN(value) ? null : value;
}

function eventAt({ times, events }: DeviceTrace, clock: Clock, x: number, zero: number): number {
  if (clock === 'event') return Math.max(-1, Math.min(events - 1, Math.floor(x)));
  const until = zero + x * 1e9;
  let event = events - 1;
  while (event >= 0 && times[event]! > until) event--;
  return event;
}

function deviceBetween(
  recording: Recording,
  trace: DeviceTrace,
  fromEvent: number,
  toEvent: number,
): DeviceBetween {
  const known = surveyOf(recording, trace);
  const { start, end, size } = known.life;
  const born = liveRows(trace, toEvent).filter((row) => start[row]! > fromEvent);
  const gone = liveRows(trace, fromEvent).filter((row) => end[row]! <= toEvent);
  const sum = (rows: Uint32Array) => rows.reduce((all, row) => all + size[row]!, 0);
  const stacks = topStacks(known, born, MOST_STACKS);
  return {
    device: deviceId(trace.device),
    fromEvent,
    toEvent,
    bytes: sum(born),
    allocations: born.length,
    freedBytes: sum(gone),
    categories: categories(known, born),
    topStacks: stacks.shown,
    otherStacks: stacks.others,
  };
}
