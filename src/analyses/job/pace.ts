import { lastUpTo } from '../../base/search.ts';
import { median } from '../../base/stats.ts';
import { SECOND_NS } from '../../base/time.ts';
import { continuousNumbers, repeatedRows } from '../../model/iterations.ts';
import type { RankSummary } from '../../model/job/summary.ts';
import type { Recording } from '../../model/recording.ts';
import type { Members } from './members.ts';

/** The iterations of each rank. */
export interface Pace {
  of(rank: number): RankSummary['iterations'];
  /** The last iteration that was marked by then. */
  iterationAt(rank: number, ns: number): number | null;
}

export function paceOf(recording: Recording, { ranks, rankOf }: Members): Pace {
  const marks = recording.table('marks');
  const [times, numbers] = [marks.f64('time'), marks.f64('iteration')];
  const [told, pids, kinds] = [marks.f64('rank'), marks.f64('pid'), marks.u32('kind')];
  const found = new Map<number, [number, number][]>();
  const kind = kinds[repeatedRows(recording)[0] ?? -1];
  for (let row = 0; row < marks.rows; row++) {
    if (kind === undefined || kinds[row] !== kind) continue;
    const rank = rankOf.get(pids[row]!) ?? (Number.isNaN(told[row]!) ? undefined : told[row]!);
    const whose = ranks.length === 1 ? ranks[0]! : rank;
    if (whose === undefined) continue;
    const mine = found.get(whose);
    if (mine) mine.push([times[row]!, numbers[row]!]);
    else found.set(whose, [[times[row]!, numbers[row]!]]);
  }
  const iterations = new Map(
    [...found].map(([rank, own]) => [rank, continuousNumbers(own.sort(([a], [b]) => a - b))]),
  );
  return {
    of(rank) {
      const own = iterations.get(rank);
      if (!own) return null;
      const apart = Array.from(
        own.times.subarray(1),
        (time, i) => (time - own.times[i]!) / SECOND_NS,
      );
      return { count: own.times.length, medianSeconds: apart.length < 2 ? null : median(apart) };
    },
    iterationAt(rank, ns) {
      const own = iterations.get(rank);
      const at = own ? lastUpTo(own.times, ns) : -1;
      return own && at >= 0 ? own.numbers[at]! : null;
    },
  };
}
