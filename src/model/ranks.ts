import type { Recording } from './recording.ts';

/**
 * The rank of each process, where it has one: as an agent inside it told, else as its launcher did in
 * its environment, else its parent's, for a worker of a rank belongs to it. Who starts processes of
 * other ranks is a launcher: what its own environment says is a node's number (srun → torchrun).
 */
export function ranksOf(recording: Recording): Map<number, number> {
  const people = recording.table('processes');
  const [pids, parents, told] = [people.u32('pid'), people.u32('ppid'), people.f64('rank')];
  const ranks = new Map<number, number>();
  const parentOf = new Map<number, number>();
  const launchers = new Set<number>();
  for (let row = 0; row < people.rows; row++) {
    parentOf.set(pids[row]!, parents[row]!);
    if (!Number.isNaN(told[row]!)) ranks.set(pids[row]!, told[row]!);
  }
  for (const [pid, parent] of parentOf) {
    const [own, above] = [ranks.get(pid), ranks.get(parent)];
    if (own !== undefined && above !== undefined && own !== above) launchers.add(parent);
  }
  for (const pid of launchers) ranks.delete(pid);
  for (const name of ['marks', 'counters'] as const) {
    const table = recording.table(name);
    const said = table.f64('rank');
    const speakers = name === 'marks' ? table.f64('pid') : table.u32('pid');
    for (let row = 0; row < table.rows; row++) {
      if (!Number.isNaN(said[row]!)) ranks.set(speakers[row]!, said[row]!);
    }
  }
  for (const pid of parentOf.keys()) {
    const rank = inherited(pid, ranks, parentOf);
    if (rank !== undefined) ranks.set(pid, rank);
  }
  return ranks;
}

function inherited(
  pid: number,
  ranks: ReadonlyMap<number, number>,
  parentOf: ReadonlyMap<number, number>,
): number | undefined {
  const seen = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && !seen.has(at); ) {
    const rank = ranks.get(at);
    if (rank !== undefined) return rank;
    seen.add(at);
    at = parentOf.get(at);
  }
  return undefined;
}
