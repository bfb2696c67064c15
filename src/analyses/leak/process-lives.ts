import { SECOND_NS } from '../../base/time.ts';
import { heldByProcess } from '../../model/held-memory.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import { roleFinder } from './roles.ts';

/** One process of the workload, from the first to the last time it was seen. */
export interface ProcessLife {
  readonly pid: number;
  readonly role: string;
  readonly fromNs: number;
  readonly toNs: number;
  /** What it held. */
  readonly held: Series;
}

/** One that was not seen for so long before a moment had ended by then. */
const SEEN_NS = 1.5 * SECOND_NS;

export const livesAt = ({ fromNs, toNs }: ProcessLife, ns: number): boolean =>
  fromNs <= ns && toNs > ns - SEEN_NS;

export function processLives(recording: Recording): ProcessLife[] {
  const table = workloadProcesses(recording);
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const held = heldByProcess(table);
  const roleAt = roleFinder(recording);
  const rows = new Map<number, number[]>();
  for (let row = 0; row < table.rows; row++) {
    if (Number.isNaN(held[row]!)) continue;
    const list = rows.get(pids[row]!);
    if (list) list.push(row);
    else rows.set(pids[row]!, [row]);
  }
  const pick = (from: Float64Array, list: number[]) => Float64Array.from(list, (row) => from[row]!);
  return [...rows].map(([pid, list]) => {
    const [fromNs, toNs] = [times[list[0]!]!, times[list.at(-1)!]!];
    const series = { name: '', times: pick(times, list), values: pick(held, list) };
    return { pid, role: roleAt(pid, fromNs), fromNs, toNs, held: series };
  });
}
