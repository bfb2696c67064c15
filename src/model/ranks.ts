import type { Recording } from './recording.ts';

/**
 * The rank of each process, where it has one: as an agent inside it reported, else as its launcher set it in
 * its environment, else its parent's, for a worker of a rank belongs to it. Who starts processes of
 * other ranks is a launcher: what its own environment says is a node's number (srun → torchrun).
 */
export function ranksOf(recording: Recording): Map<number, number> {
  const processes = recording.table('processes');
  const [pids, parents, own] = [processes.u32('pid'), processes.u32('ppid'), processes.f64('rank')];
  const parentOf = new Map<number, number>();
  const launched = new Map<number, number>();
  for (let row = 0; row < processes.rows; row++) {
    parentOf.set(pids[row]!, parents[row]!);
    if (!Number.isNaN(own[row]!)) launched.set(pids[row]!, own[row]!);
  }
  const reported = new Map<number, number>();
  for (const name of ['marks', 'counters'] as const) {
    const table = recording.table(name);
    const ranks = table.f64('rank');
    const reporters = name === 'marks' ? table.f64('pid') : table.u32('pid');
    for (let row = 0; row < table.rows; row++) {
      if (!Number.isNaN(ranks[row]!)) reported.set(reporters[row]!, ranks[row]!);
    }
  }
  return ranksAmong(parentOf, launched, reported);
}

/** The same of what is known so far: `launched` is what environments say, `reported` what agents do. */
export function ranksAmong(
  parentOf: ReadonlyMap<number, number>,
  launched: ReadonlyMap<number, number>,
  reported: ReadonlyMap<number, number>,
): Map<number, number> {
  const ranks = new Map(launched);
  const launchers = new Set<number>();
  for (const [pid, parent] of parentOf) {
    const [mine, above] = [ranks.get(pid), ranks.get(parent)];
    if (mine !== undefined && above !== undefined && mine !== above) launchers.add(parent);
  }
  for (const pid of launchers) ranks.delete(pid);
  for (const [pid, rank] of reported) ranks.set(pid, rank);
  for (const pid of parentOf.keys()) {
    const rank = inheritedRank(pid, ranks, parentOf);
    if (rank !== undefined) ranks.set(pid, rank);
  }
  return ranks;
}

function inheritedRank(
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
