import { KiB, MiB } from '../../base/bytes.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { FlatLevel } from './flat-level.ts';
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

/** The smallest difference that counts: any machine moves by less meanwhile (slabs, a daemon that wakes up). */
export const SMALLEST_LEAK = 8 * MiB;
/** Shared memory that nobody removes stays until the machine restarts: less of it counts than of a process that lives on. */
export const SMALLEST_FILES = MiB;
/** Long enough for a level; further away others have changed it. */
export const LONGEST_NS = 10 * SECOND_NS;
/** The kernel's per-CPU counters lag behind by about this much. */
export const COUNTER_BYTES = 256 * KiB;
export const Z99 = 2.576;

export const secondsOf = ({ fromNs, toNs }: FlatLevel, zeroNs: number): SecondsRange => ({
  fromSeconds: (fromNs - zeroNs) / SECOND_NS,
  toSeconds: (toNs - zeroNs) / SECOND_NS,
});

/** Told by the workload's own figures: before it began, it had nothing. */
export function ownShelf(
  by: 'cgroup' | 'processes',
  series: string,
  left: {
    readonly leakedBytes: number;
    readonly uncertaintyBytes: number;
    readonly after: SecondsRange | null;
    readonly remains: Pick<RetainedAfterExit, 'anonBytes' | 'shmemBytes' | 'othersBytes'>;
  },
  told: Pick<Shelf, 'verdict' | 'because'>,
): Shelf {
  const { leakedBytes, uncertaintyBytes, after, remains } = left;
  return {
    by,
    series,
    beforeBytes: 0,
    afterBytes: leakedBytes,
    leakedBytes,
    uncertaintyBytes,
    steady: true,
    before: null,
    after,
    boundBytes: leakedBytes + uncertaintyBytes,
    used: null,
    remains: { ...remains, kernelBytes: 0, workloadBytes: leakedBytes },
    ...told,
  };
}
