import type { Recording } from './recording.ts';
import type { Series } from './series.ts';

/**
 * Series of counters that processes read off themselves: `torch0.allocated` is what torch's allocator
 * has handed out on its device 0, `malloc.in_use` what malloc has. Σ over processes: each counts with
 * its last reading until it has ended. Counts, and peaks that a process keeps itself, are no series.
 */
const NAME =
  /^(torch\d+\.(allocated|reserved|requested|active|unusable)|malloc\.(in_use|free)|jax\.live|(jax|tf)\d+\.in_use)$/;

export function counterSeriesNames(recording: Recording): string[] {
  const ids = new Set(recording.table('counters').u32('name'));
  return [...ids].map((id) => recording.text(id)).filter((name) => NAME.test(name));
}

/** The series of that name; null when it is no name of a counter's series. */
export function counterSeries(recording: Recording, name: string): Series | null {
  if (!NAME.test(name)) return null;
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const wanted = new Set([...new Set(names)].filter((id) => recording.text(id) === name));
  const ends = endTimes(recording);
  const last = new Map<number, number>();
  const at: number[] = [];
  const sums: number[] = [];
  for (let row = 0; row < table.rows; row++) {
    if (!wanted.has(names[row]!)) continue;
    const time = times[row]!;
    for (const pid of last.keys()) if (ends.get(pid)! < time) last.delete(pid);
    last.set(pids[row]!, values[row]!);
    let sum = 0;
    for (const value of last.values()) sum += value;
    if (at.at(-1) === time) sums[sums.length - 1] = sum;
    else {
      at.push(time);
      sums.push(sum);
    }
  }
  return { name, times: Float64Array.from(at), values: Float64Array.from(sums) };
}

/** When each process was seen last; not a number, so never before anything, while it lives. */
function endTimes(recording: Recording): Map<number, number> {
  const people = recording.table('processes');
  const [pids, ends] = [people.u32('pid'), people.f64('last_seen')];
  return new Map(Array.from(pids, (pid, row) => [pid, ends[row]!]));
}
