import { max } from 'd3-array';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';

/** What Highwater itself held among the workload's processes; part of no figure of theirs. */
export interface OwnMemory {
  /** Within these processes of the workload; else in processes of its own, forks that write heaps. */
  readonly inside: boolean;
  readonly pids: readonly number[];
  /** Resident at most, all of them together; of forks mostly pages that they share with the program. */
  readonly peakRss: number;
  /** What only they had, as far as that was measured. */
  readonly peakPrivate: number | null;
  readonly firstSeconds: number;
  readonly lastSeconds: number;
}

export function ownMemory(recording: Recording, zeroNs: number): OwnMemory[] {
  return [false, true].flatMap((inside) => ownRows(recording, zeroNs, inside) ?? []);
}

function ownRows(recording: Recording, zeroNs: number, within: boolean): OwnMemory | null {
  const table = recording.table('own_memory');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [inside, rss, only] = [table.u8('inside'), table.f64('rss'), table.f64('private')];
  const rows = Array.from(inside.keys()).filter((row) => (inside[row] === 1) === within);
  if (rows.length === 0) return null;
  const sums = new Map<number, number>();
  for (const row of rows) sums.set(times[row]!, (sums.get(times[row]!) ?? 0) + rss[row]!);
  const seconds = (row: number) => (times[row]! - zeroNs) / SECOND_NS;
  return {
    inside: within,
    pids: [...new Set(rows.map((row) => pids[row]!))],
    peakRss: max(sums.values())!,
    peakPrivate: max(rows, (row) => only[row]!) ?? null,
    firstSeconds: seconds(rows[0]!),
    lastSeconds: seconds(rows.at(-1)!),
  };
}
