import { ranksOf } from '../../model/ranks.ts';
import type { Recording } from '../../model/recording.ts';

/** Stands for all of a recording in which nobody has a rank. */
export const WITHOUT_RANK = -1;

/** Whose each process is: the ranks of a recording, as the report of a whole job tells them apart. */
export interface Members {
  readonly ranks: readonly number[];
  readonly rankOf: ReadonlyMap<number, number>;
}

/** A recorder of one rank counts all of its processes with it; that of a node, each with its own. */
export function membersOf(recording: Recording): Members {
  const rankOf = ranksOf(recording);
  const found = [...new Set(rankOf.values())].sort((a, b) => a - b);
  const own = recording.run.labels.rank;
  const label = own !== undefined && /^\d+$/.test(own) ? Number(own) : WITHOUT_RANK;
  if (found.length > 1) return { ranks: found, rankOf };
  const only = found[0] ?? label;
  const pids = new Set([
    ...recording.table('processes').u32('pid'),
    ...recording.table('process').u32('pid'),
    ...recording.table('counters').u32('pid'),
  ]);
  return { ranks: [only], rankOf: new Map([...pids].map((pid) => [pid, only])) };
}
