import type { Recording } from '../../model/recording.ts';

/** Fewer moments at which PSS was really read show no trend: between them it follows RSS. */
const FEWEST_READINGS = 12;
/** More rows without any PSS make the tree's sum one of some processes only. */
const MOST_MISSING = 0.1;

/** Whether PSS was read often enough to say that it did not grow. */
export function pssTells(recording: Recording): boolean {
  const table = recording.table('process');
  const [times, pss] = [table.f64('time'), table.f64('pss')];
  const estimated = table.u8('pss_estimated');
  let [missing, readings, last] = [0, 0, Number.NaN];
  for (let row = 0; row < table.rows; row++) {
    if (Number.isNaN(pss[row]!)) missing++;
    else if (estimated[row] === 0 && times[row] !== last) {
      readings++;
      last = times[row]!;
    }
  }
  return readings >= FEWEST_READINGS && missing <= MOST_MISSING * table.rows;
}
