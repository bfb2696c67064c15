import type { Recording } from './recording.ts';

/**
 * The rows of `marks` that are a run's iterations: those that the program, or its log, named. Where it
 * named none, the steps of its optimizers; of several processes that step side by side, the first one's.
 */
export function iterationRows(recording: Recording): number[] {
  const marks = recording.table('marks');
  const [kinds, pids] = [marks.u32('kind'), marks.f64('pid')];
  const named: number[] = [];
  const steps: number[] = [];
  for (let row = 0; row < marks.rows; row++) {
    const kind = recording.text(kinds[row]!);
    if (kind === 'iteration') named.push(row);
    else if (kind === 'step' && (steps.length === 0 || pids[row] === pids[steps[0]!]))
      steps.push(row);
  }
  return named.length > 0 ? named : steps;
}
