import type { Recording } from '../../model/recording.ts';
import type { TraceSurvey } from './evidence/survey.ts';
import { classOutputs } from './failure/class-outputs.ts';
import { tensorHolders } from './failure/holders.ts';
import type { Device } from './index.ts';
import { momentOf, type StepMoment } from './moment.ts';

/**
 * Steps by the run's own count. A trace whose history began late knows only its own steps, of which the
 * last is the one in which the snapshot was taken.
 */
export function inStepsOfRun(recording: Recording, found: readonly Device[]): Device[] {
  const running = runningStep(recording);
  return found.map((device) => {
    const { startRequestedBytes, peakMoment } = device;
    const oom = device.oom && withHolders(recording, device);
    if (!oom || running === null || startRequestedBytes === 0) return { ...device, oom };
    const moment = { ...shifted(oom.moment, oom.moment, running), step: running };
    return {
      ...device,
      peakMoment: shifted(peakMoment, oom.moment, running),
      oom: { ...oom, moment },
    };
  });
}

/** Where an event of a trace lies, by the same count. */
export function momentInRun(run: Recording, known: TraceSurvey, event: number): StepMoment {
  const { trace, bytes } = known;
  const found = momentOf(known, event);
  const failed = trace.ooms.at(-1);
  const running = known.recording === run || !failed ? null : runningStep(run);
  if (!failed || running === null || bytes.startRequested === 0) return found;
  return shifted(found, momentOf(known, failed.event), running);
}

/** By the step that was running at a moment of which both counts are known. */
const shifted = (moment: StepMoment, known: StepMoment, running: number): StepMoment => ({
  ...moment,
  step: moment.step === null ? null : moment.step + running - (known.step ?? 1),
});

/** The run's recording tells what held the tensors, which a trace does not. */
const withHolders = (recording: Recording, { device, oom }: Device): Device['oom'] =>
  oom && typeof device === 'number'
    ? {
        ...oom,
        holders: tensorHolders(recording, device),
        classOutputs: classOutputs(recording, device),
      }
    : oom;

/** The step that was running when memory ran out, by the optimizer's steps of that process; null where none were told. */
function runningStep(recording: Recording): number | null {
  const snapshot = recording.run.snapshots?.find(({ why }) => why === 'oom');
  if (!snapshot) return null;
  const marks = recording.table('marks');
  const [times, kinds, pids] = [marks.f64('time'), marks.u32('kind'), marks.f64('pid')];
  const numbers = marks.f64('iteration');
  let done = Number.NaN;
  for (let row = 0; row < marks.rows; row++) {
    const isStep = recording.text(kinds[row]!) === 'step' && pids[row] === snapshot.pid;
    if (isStep && times[row]! <= snapshot.ns) done = numbers[row]!;
  }
  return Number.isNaN(done) ? null : done + 1;
}
