import { formatBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../recording.ts';
import { summary } from './curve.ts';
import { deviceId, deviceName } from './device-name.ts';
import { lifetimes } from './lifetimes.ts';
import { type DeviceTrace, isTimed, traces } from './trace.ts';

/** Allocations of one call stack and tag that live at the same time. */
export interface LiveGroup {
  readonly stack: number;
  readonly tag: number;
  /** Bytes requested. */
  readonly bytes: number;
  readonly allocations: number;
}

/** Rows of the lifetimes that live after an event; -1: before the first. */
export function liveRows(trace: DeviceTrace, event: number): Uint32Array {
  const { count, start, end } = lifetimes(trace);
  const rows = new Uint32Array(count);
  let found = 0;
  for (let row = 0; row < count; row++) {
    if (start[row]! <= event && end[row]! > event) rows[found++] = row;
  }
  return rows.subarray(0, found);
}

/** What lives after an event by who made it, the largest first. */
export function liveByStack(trace: DeviceTrace, event: number): LiveGroup[] {
  const life = lifetimes(trace);
  const groups = new Map<string, LiveGroup & { bytes: number; allocations: number }>();
  for (const row of liveRows(trace, event)) {
    const [stack, tag] = [life.stack[row]!, life.tagOf(row)];
    const key = `${stack} ${tag}`;
    let group = groups.get(key);
    if (!group) {
      group = { stack, tag, bytes: 0, allocations: 0 };
      groups.set(key, group);
    }
    group.bytes += life.size[row]!;
    group.allocations++;
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes);
}

/** The peak; an event's number; or seconds since a trace's first event. */
export type MomentChoice = 'peak' | { readonly event: number } | { readonly seconds: number };

export interface TraceMoment {
  readonly trace: DeviceTrace;
  /** The state after this event is meant; -1: before the first. */
  readonly event: number;
}

/** The moment in each trace that reaches it: an event's number says nothing to a shorter one. */
export function momentsOf(recording: Recording, moment: MomentChoice): TraceMoment[] {
  const all = traces(recording);
  if (all.length === 0) {
    throw new UserError('the recording has no allocation trace', {
      hint: 'import a memory snapshot of PyTorch, a profiler trace or an MXNet log',
    });
  }
  const found = all.flatMap((trace) => {
    const event = eventAt(trace, moment);
    return event === null ? [] : [{ trace, event }];
  });
  if (found.length > 0) return found;
  const lengths = all.map(
    (trace) => `${deviceName(deviceId(trace.device))} has ${trace.events} events`,
  );
  throw new UserError('the trace does not have that moment', {
    hint: `${lengths.join(', ')}, counted from 0${all.some(isTimed) ? '' : ', and no times'}`,
  });
}

/** What was shown, for whoever opens the file: it cannot say when it was. */
export function momentsText(moments: readonly TraceMoment[]): string {
  return moments
    .map(({ trace, event }) => {
      const size = lifetimes(trace).size;
      const bytes = liveRows(trace, event).reduce((sum, row) => sum + size[row]!, 0);
      const when = event < 0 ? 'before the first event' : `after event ${event}`;
      return `${deviceName(deviceId(trace.device))}: ${formatBytes(bytes)} live ${when}`;
    })
    .join('; ');
}

function eventAt(trace: DeviceTrace, moment: MomentChoice): number | null {
  if (moment === 'peak') return summary(trace).peakEvent;
  if ('event' in moment) return moment.event < trace.events ? moment.event : null;
  if (!isTimed(trace)) return null;
  const { times } = trace;
  const until = times[0]! + moment.seconds * SECOND_NS;
  let event = times.length - 1;
  while (event >= 0 && times[event]! > until) event--;
  return event;
}
