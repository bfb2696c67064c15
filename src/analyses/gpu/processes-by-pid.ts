import type { Recording } from '../../model/recording.ts';

/** Who a process of the recorded tree is. */
export interface TreeProcess {
  readonly role: string;
  readonly rank: number | null;
}

/** The recorded tree by pid; the last row of a process is the truth. */
export function processesByPid(recording: Recording): ReadonlyMap<number, TreeProcess> {
  const table = recording.table('processes');
  const [pids, roles, ranks] = [table.u32('pid'), table.u32('role'), table.f64('rank')];
  const names = table.u32('name');
  const found = new Map<number, TreeProcess>();
  for (let row = 0; row < table.rows; row++) {
    const role = recording.text(roles[row]!) || recording.text(names[row]!);
    found.set(pids[row]!, { role, rank: Number.isNaN(ranks[row]!) ? null : ranks[row]! });
  }
  return found;
}
