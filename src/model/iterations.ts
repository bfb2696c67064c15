import type { Recording } from './recording.ts';

/**
 * The rows of `marks` that are a run's iterations: those that the program, or its log, named. Where it
 * named none, the steps of its optimizers; of several processes that step side by side, the first one's.
 */
export function iterationRows(recording: Recording): number[] {
  const marks = recording.table('marks');
  const [kinds, pids, times] = [marks.u32('kind'), marks.f64('pid'), marks.f64('time')];
  const named: number[] = [];
  const steps: number[] = [];
  for (let row = 0; row < marks.rows; row++) {
    const kind = recording.text(kinds[row]!);
    if (kind === 'iteration') named.push(row);
    else if (kind === 'step') steps.push(row);
  }
  if (named.length > 0 || steps.length === 0) return named;
  // By time: what two processes tell need not arrive in its order.
  const first = steps.reduce((a, b) => (times[b]! < times[a]! ? b : a));
  return steps.filter((row) => pids[row] === pids[first]);
}
