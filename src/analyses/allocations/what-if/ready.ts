import { UserError } from '../../../base/errors.ts';
import { HOST_DEVICE } from '../../../model/allocations/actions.ts';
import { summary } from '../../../model/allocations/curve.ts';
import { type DeviceTrace, traces } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { type Program, programOf } from '../replay/program.ts';
import { type RecordedRun, reproduce } from '../replay/recorded-run.ts';
import { floorOf } from './floor.ts';
import { Rows } from './rows.ts';

/** A trace made ready for questions, of which each replay is done once. */
export interface ReadyTrace {
  readonly recording: Recording;
  readonly program: Program;
  readonly run: RecordedRun;
  readonly floorBytes: number;
  readonly rows: Rows;
}

/** `keepCurves`: what is reserved over the events is wanted too. */
export const readyTrace = (
  recording: Recording,
  trace: DeviceTrace,
  keepCurves = false,
): ReadyTrace => readyProgram(recording, programOf(recording, trace), keepCurves);

export function readyProgram(
  recording: Recording,
  program: Program,
  keepCurves = false,
): ReadyTrace {
  const run = reproduce(recording, program, keepCurves);
  const floorBytes = floorOf(program);
  const rows = new Rows(recording, program, run, floorBytes, keepCurves);
  return { recording, program, run, floorBytes, rows };
}

/** Whether it has a trace of torch's allocator that can be replayed. Cheap: no trace is built for it. */
export const isReplayable = (recording: Recording): boolean =>
  recording.run.allocator?.source === 'torch-snapshot' &&
  recording.table('allocations').u32('device').some(isCard);

/** Memory of the host is another allocator's. */
export const isCard = (device: number) => device < HOST_DEVICE - 1;

/** The device that was asked for, or the one that reserved most. */
export function traceOf(recording: Recording, device: number | null): DeviceTrace {
  const all = traces(recording).filter(({ device }) => isCard(device));
  if (recording.run.allocator?.source !== 'torch-snapshot' || all.length === 0) {
    throw new UserError('there is no trace of torch’s allocator in it', {
      hint: 'give a snapshot of torch.cuda.memory._dump_snapshot(), or a recording that has one beside it',
    });
  }
  if (device === null && all.length === 1) return all[0]!;
  const found =
    device === null
      ? all.sort((a, b) => summary(b).peakReserved - summary(a).peakReserved)[0]
      : all.find((trace) => trace.device === device);
  if (!found) {
    const there = all.map((trace) => trace.device).join(', ');
    throw new UserError(`no trace of device ${device}`, { hint: `there are: ${there}` });
  }
  return found;
}
