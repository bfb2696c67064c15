import { SECOND_NS } from '../../../base/time.ts';
import type { Recording } from '../../../model/recording.ts';
import type { GrowthRate } from './growth-rate.ts';
import type { Pids } from './process-sums.ts';

/** A container whose entries grow in number, a type whose objects do, or the graph that a tensor keeps. */
export interface ObjectGrowth {
  readonly kind: 'container' | 'type' | 'graph';
  /** `dict`, `list`, `package.Class`; of a graph, the operation that made the tensor. */
  readonly name: string;
  /** The usual type of what a container has in it. */
  readonly of: string;
  /** `cache of __main__`; empty where it was not found out. */
  readonly holder: string;
  readonly count: number;
  /** Estimated from a sample of it. */
  readonly bytes: number;
  readonly countRate: number;
  readonly bytesRate: number;
}

/** Of each container and type its last row, the fastest in bytes first. */
export function objectGrowth(recording: Recording, only: Pids, rate: GrowthRate): ObjectGrowth[] {
  const table = recording.table('objects');
  const [times, pids, seconds] = [table.f64('time'), table.u32('pid'), table.f64('watched')];
  const [counts, grown, bytes] = [table.f64('count'), table.f64('grown'), table.f64('bytes')];
  const columns = ['kind', 'type', 'of', 'holder'].map((name) => table.u32(name));
  const last = new Map<string, ObjectGrowth>();
  for (let row = 0; row < table.rows; row++) {
    if (only && !only.has(pids[row]!)) continue;
    const ids = columns.map((column) => column[row]!);
    const [kind, name, of, holder] = ids.map((id) => recording.text(id)) as [
      ObjectGrowth['kind'],
      string,
      string,
      string,
    ];
    const key = `${pids[row]} ${kind} ${name} ${holder || of}`;
    if (!(grown[row]! > 0)) {
      // Told whether it grows or not: this one was let go of.
      if (kind !== 'type') last.delete(key);
      continue;
    }
    const from = times[row]! - seconds[row]! * SECOND_NS;
    const countRate = rate.of(grown[row]!, from, times[row]!);
    if (!countRate) continue;
    const [count, size] = [counts[row]!, bytes[row]!];
    const bytesRate = count > 0 ? (countRate * size) / count : 0;
    last.set(key, {
      kind,
      name,
      of,
      holder,
      count,
      bytes: size,
      countRate,
      bytesRate,
    });
  }
  return [...last.values()].sort((a, b) => b.bytesRate - a.bytesRate);
}
