import type { Recording } from '../../../model/recording.ts';

/** By how much a process was larger at its peak than when its parts were read, by kind of page; may be negative. */
export interface Beyond {
  readonly anonymous: number;
  readonly files: number;
  readonly shared: number;
}

/** By the samples at both moments; null without any. */
export function beyond(recording: Recording, pid: number, ns: number): Beyond | null {
  const table = recording.table('process');
  const [times, pids, sizes] = [table.f64('time'), table.u32('pid'), table.f64('rss')];
  const files = table.f64('file');
  let [peak, near] = [-1, -1];
  for (let row = 0; row < table.rows; row++) {
    // Not all samples tell kinds of pages.
    if (pids[row] !== pid || !Number.isFinite(files[row])) continue;
    if (peak < 0 || sizes[row]! > sizes[peak]!) peak = row;
    if (near < 0 || Math.abs(times[row]! - ns) < Math.abs(times[near]! - ns)) near = row;
  }
  if (peak < 0) return null;
  const more = (name: 'anon' | 'file' | 'shmem') => {
    const column = table.f64(name);
    const difference = column[peak]! - column[near]!;
    return Number.isFinite(difference) ? difference : 0;
  };
  return { anonymous: more('anon'), files: more('file'), shared: more('shmem') };
}
