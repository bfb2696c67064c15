import type { Recording } from '../../../model/recording.ts';

/** A process at one moment, by kind of mapping and file. */
export interface Mapped {
  readonly ns: number;
  readonly rss: number;
  readonly rows: readonly {
    readonly kind: string;
    readonly name: string;
    readonly bytes: number;
  }[];
}

/** By process, in order of time. */
export function mappedOf(recording: Recording): Map<number, Mapped[]> {
  const table = recording.table('mapped');
  const [times, pids, sizes] = [table.f64('time'), table.u32('pid'), table.f64('rss')];
  const [kinds, names, bytes] = [table.u32('kind'), table.u32('name'), table.f64('bytes')];
  const found = new Map<number, Mapped[]>();
  let at = { ns: Number.NaN, pid: -1, rss: Number.NaN };
  let rows: Mapped['rows'][number][] = [];
  for (let row = 0; row < table.rows; row++) {
    const [ns, pid, rss] = [times[row]!, pids[row]!, sizes[row]!];
    if (ns !== at.ns || pid !== at.pid || rss !== at.rss) {
      at = { ns, pid, rss };
      rows = [];
      const marks = found.get(pid) ?? [];
      marks.push({ ns, rss, rows });
      found.set(pid, marks);
    }
    const [kind, name] = [recording.text(kinds[row]!), recording.text(names[row]!)];
    rows.push({ kind, name, bytes: bytes[row]! });
  }
  return found;
}
