import type { Recording } from './recording.ts';

/**
 * The rows of `marks` that are a run's iterations: those that the program, or its log, marked. Where it
 * marked none, the steps of its optimizers; where it takes none, the cells of its notebook.
 */
export function iterationRows(recording: Recording): number[] {
  const rows = repeatedRows(recording);
  return rows.length > 0 ? rows : rowsOfKind(recording, 'cell').filter(endsCell(recording));
}

/** Without cells: of what does the same again and again, growth is a trend; of cells, each does something else. */
export function repeatedRows(recording: Recording): number[] {
  const named = rowsOfKind(recording, 'iteration');
  return named.length > 0 ? named : stepRows(recording);
}

/** A cell begins with a mark of its name, `In [3]`, and ends with one of `/In [3]`. */
function endsCell(recording: Recording): (row: number) => boolean {
  const names = recording.table('marks').u32('name');
  return (row) => recording.text(names[row]!).startsWith('/');
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

/** Where lines count something, of which nobody knows whether it is iterations. */
export const countRows = (recording: Recording): number[] => rowsOfKind(recording, 'count');

function rowsOfKind(recording: Recording, wanted: string): number[] {
  const kinds = recording.table('marks').u32('kind');
  return Array.from(kinds.keys()).filter((row) => recording.text(kinds[row]!) === wanted);
}

/** Iterations, in order; `number` counts on where a new epoch starts again. */
export interface Iterations {
  readonly times: Float64Array;
  readonly numbers: Float64Array;
}

/** Of several ranks that all log, those of the first. */
export function markedIterations(recording: Recording, rows: readonly number[]): Iterations {
  const marks = recording.table('marks');
  const [times, numbers, ranks] = [marks.f64('time'), marks.f64('iteration'), marks.f64('rank')];
  const rank = ranks[rows[0]!];
  const mine = rows.filter((row) => Object.is(ranks[row], rank));
  return continuousNumbers(mine.map((row) => [times[row]!, numbers[row]!]));
}

/** Numbers that go on where an epoch begins them again, or where there are none. */
export function continuousNumbers(
  marks: readonly (readonly [time: number, number: number])[],
): Iterations {
  const numbers = new Float64Array(marks.length);
  let [offset, last] = [0, 0];
  for (const [i, [, own]] of marks.entries()) {
    const number = Number.isNaN(own) ? last - offset + 1 : own;
    if (i > 0 && number + offset < last) offset = last;
    last = number + offset;
    numbers[i] = last;
  }
  return { times: Float64Array.from(marks, ([time]) => time), numbers };
}
