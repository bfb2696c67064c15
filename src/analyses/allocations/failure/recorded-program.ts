import { UserError } from '../../../base/errors.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { type Program, programOf } from '../replay/program.ts';
import { type RecordedRun, reproduce } from '../replay/recorded-run.ts';

/** A trace as the allocator was asked, and the same replayed. */
export interface RecordedProgram {
  readonly program: Program;
  readonly run: RecordedRun;
}

const known = new WeakMap<DeviceTrace, RecordedProgram | null>();

/** null: the trace contradicts itself, and proves nothing. */
export function recordedProgram(recording: Recording, trace: DeviceTrace): RecordedProgram | null {
  let found = known.get(trace);
  if (found === undefined) {
    found = prepared(recording, trace);
    known.set(trace, found);
  }
  return found;
}

function prepared(recording: Recording, trace: DeviceTrace): RecordedProgram | null {
  try {
    const program = programOf(recording, trace);
    return { program, run: reproduce(recording, program) };
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
