import type { Recording } from './recording.ts';

/**
 * The rows of `marks` that are a run's iterations: those that the program, or its log, named. Where it
 * named none, the steps of its optimizers.
 */
export function iterationRows(recording: Recording): number[] {
  const named = rowsOfKind(recording, 'iteration');
  return named.length > 0 ? named : stepRows(recording);
}

/** The steps of an optimizer; of several processes that step side by side, the first one's. */
export function stepRows(recording: Recording): number[] {
  const marks = recording.table('marks');
  const [pids, times] = [marks.f64('pid'), marks.f64('time')];
  const steps = rowsOfKind(recording, 'step');
  if (steps.length === 0) return steps;
  // By time: what two processes tell need not arrive in its order.
  const first = steps.reduce((a, b) => (times[b]! < times[a]! ? b : a));
  return steps.filter((row) => pids[row] === pids[first]);
}

function rowsOfKind(recording: Recording, wanted: string): number[] {
  const kinds = recording.table('marks').u32('kind');
  return Array.from(kinds.keys()).filter((row) => recording.text(kinds[row]!) === wanted);
}
