import { lastUpTo } from '../../base/search.ts';
import type { Recording } from '../../model/recording.ts';
import { series } from '../../model/series.ts';
import type { Span } from './span.ts';

export interface Exhaustion {
  readonly seconds: number;
  readonly of: 'cgroup limit' | 'machine';
}

/** When the memory is full at this rate: the control group's limit, or what the machine had left. */
export function exhaustion(recording: Recording, span: Span, perSecond: number): Exhaustion | null {
  if (!(perSecond > 0)) return null;
  const rooms = [
    { of: 'cgroup limit' as const, bytes: groupRoom(recording, span.endNs) },
    { of: 'machine' as const, bytes: machineRoom(recording, span.endNs) },
  ].filter(({ bytes }) => bytes !== null && bytes > 0);
  const [least] = rooms.sort((a, b) => a.bytes! - b.bytes!);
  return least ? { seconds: least.bytes! / perSecond, of: least.of } : null;
}

function groupRoom(recording: Recording, ns: number): number | null {
  const limit = recording.run.cgroup?.limitBytes ?? null;
  const current = series(recording, 'cgroup.current');
  if (limit === null || !current) return null;
  return limit - valueAt(current.times, current.values, ns);
}

function machineRoom(recording: Recording, ns: number): number | null {
  const host = recording.table('host');
  if (host.rows === 0) return null;
  const available = valueAt(host.f64('time'), host.f64('MemAvailable'), ns);
  return Number.isNaN(available) ? null : available;
}

/** The last value up to a moment, or the first. */
function valueAt(times: Float64Array, values: Float64Array, ns: number): number {
  return values[Math.max(0, lastUpTo(times, ns))]!;
}
