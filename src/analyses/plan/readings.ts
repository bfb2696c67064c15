import type { Recording } from '../../model/recording.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';

/** Amounts at moments, in order. */
export interface Readings {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** What each process held on all cards together, by the driver's looks. */
export function cardBytesByPid(recording: Recording): ReadonlyMap<number, Readings> {
  const table = recording.table('gpu_process');
  const [times, pids, used] = [table.f64('time'), table.u32('pid'), table.f64('used')];
  const found = new Map<number, Map<number, number>>();
  for (let row = 0; row < table.rows; row++) {
    if (pids[row] === 0 || Number.isNaN(used[row]!)) continue;
    const looks = found.get(pids[row]!) ?? new Map<number, number>();
    looks.set(times[row]!, (looks.get(times[row]!) ?? 0) + used[row]!);
    found.set(pids[row]!, looks);
  }
  return readingsOf(found);
}

/** What torch had on all cards together in each process, by its own counters: `allocated`, `reserved` or `peak`. */
export function torchByPid(
  recording: Recording,
  what: 'allocated' | 'reserved' | 'peak',
): ReadonlyMap<number, Readings> {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const wanted = new Set(
    [...new Set(names)].filter((id) =>
      new RegExp(`^torch\\d+\\.${what}$`).test(recording.text(id)),
    ),
  );
  const found = new Map<number, Map<number, number>>();
  for (let row = 0; row < table.rows; row++) {
    if (!wanted.has(names[row]!)) continue;
    const looks = found.get(pids[row]!) ?? new Map<number, number>();
    looks.set(times[row]!, (looks.get(times[row]!) ?? 0) + values[row]!);
    found.set(pids[row]!, looks);
  }
  return readingsOf(found);
}

/** Resident size of each process, and of the same looks the proportional one where it was measured. */
export function residentByPid(recording: Recording): ReadonlyMap<number, Readings> {
  const table = workloadProcesses(recording);
  const [times, pids, rss] = [table.f64('time'), table.u32('pid'), table.f64('rss')];
  const found = new Map<number, Map<number, number>>();
  for (let row = 0; row < table.rows; row++) {
    if (Number.isNaN(rss[row]!)) continue;
    const looks = found.get(pids[row]!) ?? new Map<number, number>();
    looks.set(times[row]!, rss[row]!);
    found.set(pids[row]!, looks);
  }
  return readingsOf(found);
}

export interface Reading {
  readonly ns: number;
  readonly bytes: number;
}

/** The largest among readings from one moment to another, the first of those; null: none. */
export const highest = (readings: Readings, from: number, to: number): Reading | null =>
  best(readings, from, to, (bytes, so) => bytes > so);

/** The lowest, the last of those. */
export const lowest = (readings: Readings, from: number, to: number): Reading | null =>
  best(readings, from, to, (bytes, so) => bytes <= so);

function best(
  { times, values }: Readings,
  from: number,
  to: number,
  isBetter: (bytes: number, so: number) => boolean,
): Reading | null {
  let found: Reading | null = null;
  for (const [i, ns] of times.entries())
    if (ns >= from && ns <= to && (!found || isBetter(values[i]!, found.bytes)))
      found = { ns, bytes: values[i]! };
  return found;
}

function readingsOf(
  found: ReadonlyMap<number, ReadonlyMap<number, number>>,
): ReadonlyMap<number, Readings> {
  return new Map(
    [...found].map(([pid, looks]) => {
      const rows = [...looks].sort(([a], [b]) => a - b);
      return [pid, { times: rows.map(([ns]) => ns), values: rows.map(([, value]) => value) }];
    }),
  );
}
