import { UserError } from '../../base/errors.ts';
import { deviceId, deviceName } from '../../model/allocations/device-name.ts';
import { type DeviceTrace, traces } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import type { OpenRun } from '../opened.ts';

/** An allocation trace of a run: its own, or of a snapshot that lay beside it. */
export interface RunTrace {
  readonly index: number;
  readonly name: string;
  readonly recording: Recording;
  readonly trace: DeviceTrace;
}

/** Cheap: no table is read for it. */
export function hasTraces(run: OpenRun | undefined): boolean {
  if (!run) return false;
  return [run.recording, ...run.snapshots].some(({ tables }) =>
    tables.some((name) => name === 'allocations' || name === 'segments'),
  );
}

export function runTraces(run: OpenRun): RunTrace[] {
  const recordings = [run.recording, ...run.snapshots];
  return recordings
    .flatMap((recording) =>
      traces(recording).map((trace) => {
        const device = deviceName(deviceId(trace.device));
        const name = recording === run.recording ? device : `${device}, ${recording.run.name}`;
        return { recording, trace, name };
      }),
    )
    .map((one, index) => ({ ...one, index }));
}

/** The one that `?trace=` names; without it, the one with the most events. */
export function chosenTrace(run: OpenRun, query: URLSearchParams): RunTrace {
  const all = runTraces(run);
  const asked = query.get('trace');
  const found =
    asked === null
      ? all.reduce<RunTrace | undefined>(
          (most, one) => (!most || one.trace.events > most.trace.events ? one : most),
          undefined,
        )
      : all[Number(asked)];
  if (found) return found;
  throw new UserError(`${run.name} has no trace ${asked ?? ''}`.trimEnd(), {
    hint: `it has ${all.length}, counted from 0`,
  });
}

/** A position in a trace that a query names: `peak`, `start`, or an event's number; null where it says nothing. */
export function eventIn(
  { trace }: RunTrace,
  query: URLSearchParams,
  name: string,
  peakEvent: number,
): number | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  if (text === 'peak') return peakEvent;
  const event = text === 'start' ? -1 : Number(text);
  if (Number.isInteger(event) && event >= -1 && event < Math.max(trace.events, 0)) return event;
  throw new UserError(`${name}=${text} is no event of this trace`, {
    hint: `write peak, start or a number from 0 to ${trace.events - 1}`,
  });
}
