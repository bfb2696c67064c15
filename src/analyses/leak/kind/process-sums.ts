import type { Recording } from '../../../model/recording.ts';
import type { Series } from '../../../model/series.ts';
import { workloadProcesses } from '../../../model/workload-processes.ts';

/** Which processes are meant; null: all. */
export type Pids = ReadonlySet<number> | null;

/** A column of `process` (anon, file, shmem, rss, pss), summed over these processes at each sample. */
export function columnSum(recording: Recording, name: string, only: Pids): Series {
  const table = workloadProcesses(recording);
  const [times, pids, values] = [table.f64('time'), table.u32('pid'), table.f64(name)];
  const at: number[] = [];
  const sums: number[] = [];
  for (let row = 0; row < table.rows; row++) {
    if (Number.isNaN(values[row]!) || (only && !only.has(pids[row]!))) continue;
    if (at.at(-1) === times[row]) sums[sums.length - 1]! += values[row]!;
    else {
      at.push(times[row]!);
      sums.push(values[row]!);
    }
  }
  return { name, times: Float64Array.from(at), values: Float64Array.from(sums) };
}

/** Counters of the whole machine: each process reads the same. */
const OF_MACHINE: ReadonlySet<string> = new Set(['shm.used']);

/** A counter that agents reported, summed over these processes; each counts with its last reading. */
export function counterSum(recording: Recording, name: string, only: Pids): Series {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const wanted = [...new Set(names)].find((id) => recording.text(id) === name);
  const last = new Map<number, number>();
  const at: number[] = [];
  const sums: number[] = [];
  let sum = 0;
  for (let row = 0; row < table.rows; row++) {
    if (names[row] !== wanted || Number.isNaN(values[row]!)) continue;
    const pid = OF_MACHINE.has(name) ? 0 : pids[row]!;
    if (pid !== 0 && only && !only.has(pid)) continue;
    // A process that reports for the first time is no growth.
    if (!last.has(pid) && last.size > 0) {
      at.length = 0;
      sums.length = 0;
    }
    sum += values[row]! - (last.get(pid) ?? 0);
    last.set(pid, values[row]!);
    at.push(times[row]!);
    sums.push(sum);
  }
  return { name, times: Float64Array.from(at), values: Float64Array.from(sums) };
}
