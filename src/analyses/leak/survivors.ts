import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import { numberedRoles } from './roles.ts';
import type { WorkloadSpan } from './workload-span.ts';

/** A process of the workload that was still there after its end. */
export interface Survivor {
  readonly pid: number;
  readonly role: string;
  readonly name: string;
  /** Its command line, as far as it was seen. */
  readonly argv: string;
  /** Its private memory, or else its resident size, when it was last seen. */
  readonly bytes: number;
}

/** A process takes a moment to go, longer when it has much to free. */
const GOING_NS = 0.25 * SECOND_NS;

/** The largest first. Empty where the end of the workload is not known. */
export function survivors(recording: Recording, { endNs, endKnown }: WorkloadSpan): Survivor[] {
  const table = workloadProcesses(recording);
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [rss, anon] = [table.f64('rss'), table.f64('anon')];
  const last = times[table.rows - 1] ?? 0;
  if (!endKnown || last < endNs + GOING_NS) return [];
  const roleAt = numberedRoles(recording);
  const found: Survivor[] = [];
  for (let row = table.rows - 1; row >= 0 && times[row] === last; row--) {
    const pid = pids[row]!;
    const bytes = (Number.isNaN(anon[row]!) ? rss[row]! : anon[row]!) || 0;
    found.push({ pid, role: roleAt(pid, last), ...textsOf(recording, pid), bytes });
  }
  return found.sort((a, b) => b.bytes - a.bytes);
}

/** Of the last that had this pid. */
function textsOf(recording: Recording, pid: number): Pick<Survivor, 'name' | 'argv'> {
  const table = recording.table('processes');
  const row = table.u32('pid').lastIndexOf(pid);
  const text = (column: string) => (row < 0 ? '' : recording.text(table.u32(column)[row]!));
  return { name: text('name'), argv: text('argv') };
}
