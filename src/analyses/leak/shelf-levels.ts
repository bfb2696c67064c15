import type { RetainedAfterExit } from './retained-after-exit.ts';
import type { LeakVerdict } from './trend-rules.ts';
import type { SecondsRange } from './workload-span.ts';

/** The levels before and after the workload, and their difference; null where there is no level. Bytes. */
export interface ShelfLevels {
  readonly series: string;
  readonly beforeBytes: number | null;
  readonly afterBytes: number | null;
  readonly leakedBytes: number | null;
  /** Half the width of a 99 % interval. */
  readonly uncertaintyBytes: number | null;
  /** Both levels are flat enough to be compared. */
  readonly steady: boolean;
  /** Where the levels were found. */
  readonly before: SecondsRange | null;
  readonly after: SecondsRange | null;
}

/** What the workload left behind. */
export interface Shelf extends ShelfLevels {
  /** Whose figures tell it: its own control group's, its own processes' and files', or the whole machine's. */
  readonly by: 'cgroup' | 'processes' | 'machine';
  readonly verdict: Exclude<LeakVerdict, 'plateau'>;
  readonly because: string;
  /** `host.used` beside it: what the original leak test looked at, and far noisier. */
  readonly used: ShelfLevels | null;
  /** At most so much was left behind, at 99 %; null: not known. */
  readonly boundBytes: number | null;
  readonly remains: RetainedAfterExit | null;
}
