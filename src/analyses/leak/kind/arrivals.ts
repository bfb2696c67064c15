import { heldByProcess } from '../../../model/held-memory.ts';
import type { Recording } from '../../../model/recording.ts';
import { workloadProcesses } from '../../../model/workload-processes.ts';
import { numberedRoles, withoutNumber } from '../roles.ts';

/** Processes that came in the judged time and were still there at its end, less those that went meanwhile. */
export interface Arrivals {
  /** How many more there were in the end … */
  readonly processes: number;
  /** … and what they held, less what those that went had held. */
  readonly bytes: number;
  /** What most of those that came are: `sleep`, `data loader`. */
  readonly role: string;
}

const QUARTERS = 4;

/**
 * null: the number of processes does not rise all the time. A pool that is started once, or workers that are started
 * anew in each epoch, is none that grows.
 */
export function arrivals(recording: Recording, fromNs: number, toNs: number): Arrivals | null {
  const moments = Array.from(
    { length: QUARTERS + 1 },
    (_, i) => fromNs + ((toNs - fromNs) * i) / QUARTERS,
  );
  const [first, ...later] = moments.map((ns) => heldAt(recording, ns));
  let before = first!.size;
  for (const { size } of later) {
    if (size <= before) return null;
    before = size;
  }
  const last = later.at(-1)!;
  const roleAt = numberedRoles(recording);
  const came = [...last].filter(([pid]) => !first!.has(pid));
  const went = [...first!].filter(([pid]) => !last.has(pid));
  const sum = (of: readonly (readonly [number, number])[]) => of.reduce((all, [, b]) => all + b, 0);
  const roles = new Map<string, number>();
  for (const [pid] of came) {
    const role = withoutNumber(roleAt(pid, toNs));
    roles.set(role, (roles.get(role) ?? 0) + 1);
  }
  const [[role] = ['process']] = [...roles].sort((a, b) => b[1] - a[1]);
  return { processes: last.size - first!.size, bytes: sum(came) - sum(went), role };
}

/** What each process held in the last sample up to a moment. */
function heldAt(recording: Recording, ns: number): Map<number, number> {
  const table = workloadProcesses(recording);
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const held = heldByProcess(table);
  let sample = Number.NEGATIVE_INFINITY;
  for (const time of times) if (time <= ns && time > sample) sample = time;
  const found = new Map<number, number>();
  for (let row = 0; row < table.rows; row++) {
    if (times[row] === sample) found.set(pids[row]!, held[row]! || 0);
  }
  return found;
}
