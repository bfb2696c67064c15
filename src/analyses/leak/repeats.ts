import { student95 } from '../../base/stats.ts';
import type { Shelf } from './shelf-levels.ts';

/** What the same workload left behind, run after run. */
export interface Repeats {
  readonly type: 'leak-repeats';
  /** 2: what was called `verdict` is `judgement`, as every output has a verdict. */
  readonly schemaVersion: 2;
  /** Runs with a shelf before and after, of all. */
  readonly told: number;
  readonly runs: number;
  /** Left behind by each run on average, with a 95 % interval; null with fewer than two runs. */
  readonly leakedBytes: number | null;
  readonly lowBytes: number | null;
  readonly highBytes: number | null;
  /** (after the last − before the first) / runs, as the original leak test had it. */
  readonly endToEndBytes: number | null;
  /** `leak`: the whole interval lies above zero. */
  readonly judgement: 'leak' | 'bounded' | 'inconclusive';
}

/** Below this on average, the interval included, nothing of note stays behind a run. */
const NEGLIGIBLE = 1024 ** 2;

export function leakPerRun(shelves: readonly (Shelf | null)[]): Repeats {
  const amounts = shelves.flatMap((shelf) => shelf?.leakedBytes ?? []);
  const mean = amounts.reduce((sum, bytes) => sum + bytes, 0) / amounts.length;
  const n = amounts.length;
  const variance = amounts.reduce((sum, bytes) => sum + (bytes - mean) ** 2, 0) / (n - 1);
  const half = n < 2 ? null : student95(n - 1) * Math.sqrt(variance / n);
  const first = shelves[0]?.beforeBytes ?? null;
  const last = shelves.at(-1)?.afterBytes ?? null;
  return {
    type: 'leak-repeats',
    schemaVersion: 2,
    told: n,
    runs: shelves.length,
    leakedBytes: half === null ? null : mean,
    lowBytes: half === null ? null : mean - half,
    highBytes: half === null ? null : mean + half,
    endToEndBytes: first === null || last === null ? null : (last - first) / shelves.length,
    judgement: half === null ? 'inconclusive' : judge(mean - half, mean + half),
  };
}

function judge(low: number, high: number): Repeats['judgement'] {
  if (low > 0 && high > NEGLIGIBLE) return 'leak';
  return high < NEGLIGIBLE ? 'bounded' : 'inconclusive';
}
