import type { Recording } from './recording.ts';

/** What glibc's malloc had in a process, read from outside at one moment. */
export interface MallocReading {
  readonly ns: number;
  /** What the process held then. */
  readonly held: number;
  readonly inUse: number;
  readonly free: number;
  readonly freeHeld: number;
}

export function mallocByProcess(recording: Recording): Map<number, MallocReading[]> {
  const table = recording.table('malloc');
  const [times, pids, held] = [table.f64('time'), table.u32('pid'), table.f64('held')];
  const [inUse, free] = [table.f64('in_use'), table.f64('free')];
  const freeHeld = table.f64('free_held');
  const found = new Map<number, MallocReading[]>();
  for (let row = 0; row < table.rows; row++) {
    const pid = pids[row]!;
    const all = found.get(pid) ?? [];
    found.set(pid, all);
    all.push({
      ns: times[row]!,
      held: held[row]!,
      inUse: inUse[row]!,
      free: free[row]!,
      freeHeld: freeHeld[row]!,
    });
  }
  return found;
}
