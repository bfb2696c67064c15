import { SECOND_NS } from '../../../base/time.ts';
import type { Recording } from '../../../model/recording.ts';

/** Whether what a process said at one time holds at another: its own memory was about as large all the while between. */
export type Steady = (a: number, b: number) => boolean;

/** Nothing changes within so long that is worth a word. */
const MOMENT_NS = 0.1 * SECOND_NS;
/** What is told of another moment is off by so much at most, and the reader is told so. */
const NEARLY = 0.15;

export function steadiness(recording: Recording, pid: number): Steady {
  const table = recording.table('process');
  const [times, pids, sizes] = [table.f64('time'), table.u32('pid'), table.f64('anon')];
  return (a, b) => {
    if (Math.abs(a - b) <= MOMENT_NS) return true;
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (let row = 0; row < table.rows; row++) {
      if (pids[row] !== pid || times[row]! < from - MOMENT_NS || times[row]! > to + MOMENT_NS) {
        continue;
      }
      least = Math.min(least, sizes[row]!);
      most = Math.max(most, sizes[row]!);
    }
    return most - least <= most * NEARLY;
  };
}
