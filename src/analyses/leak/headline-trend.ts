import type { Recording } from '../../model/recording.ts';
import { columnSum } from './kind/process-sums.ts';
import type { Trend } from './trend.ts';
import { trendEvidence } from './trend-evidence.ts';
import { iterationsOf, trendValues } from './trend-values.ts';
import type { WorkloadSpan } from './workload-span.ts';

/**
 * The trend by which the whole run is judged. Of a process tree it is that of PSS, as summed RSS counts
 * shared pages many times over. Where PSS is inconclusive it is that of a role, or of RSS, if the tree's
 * growth is as large, or its private memory's: PSS also moves when unrelated processes come and go that map
 * the same libraries. The machine's own memory counts only where no process was watched, as all processes
 * share it. A device's memory counts where it leaks and nothing on the host leaks more; files in /dev/shm
 * where no process grows, as they belong to none.
 */
export function headlineTrend(
  all: readonly Trend[],
  recording: Recording,
  span: WorkloadSpan,
): Trend | null {
  const host = hostTrend(all, () => privateGrowth(recording, span));
  const [device] = all
    .filter(({ measure, verdict }) => measure === 'device' && verdict === 'leak')
    .sort((a, b) => b.growthBytes - a.growthBytes);
  const deviceLeaksMore =
    device && (host?.verdict !== 'leak' || device.growthBytes > host.growthBytes);
  if (deviceLeaksMore) return device;
  return host?.verdict === 'leak' ? host : (shmTrend(all, recording) ?? host);
}

/** All processes share /dev/shm: its growth is the workload's where new files left half as much or more there. */
function shmTrend(all: readonly Trend[], { run }: Recording): Trend | null {
  const growing = all.find(({ measure, verdict }) => measure === 'shm' && verdict === 'leak');
  const left = (run.leftInShm ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  return growing && left > growing.growthBytes / 2 ? growing : null;
}

function hostTrend(all: readonly Trend[], privateGrowthOf: () => number): Trend | null {
  const whole = (measure: Trend['measure']) =>
    all.find((trend) => trend.role === null && trend.measure === measure) ?? null;
  const tree = whole('PSS') ?? whole('RSS');
  if (!tree) return whole('held');
  if (tree.verdict !== 'inconclusive') return tree;
  const leaks = all.filter(
    ({ verdict, measure }) => verdict === 'leak' && (measure === 'PSS' || measure === 'RSS'),
  );
  const inTree = leaks.find(({ growthBytes }) => tree.growthBytes > growthBytes / 2);
  if (inTree || leaks.length === 0) return inTree ?? tree;
  const own = privateGrowthOf();
  return leaks.find(({ growthBytes, role }) => role === null && own > growthBytes / 2) ?? tree;
}

/** Anonymous pages count once for each process that has them, copied on write or not: they grow by what is new. */
function privateGrowth(recording: Recording, span: WorkloadSpan): number {
  const values = trendValues(columnSum(recording, 'anon', null), iterationsOf(recording), span);
  return values.y.length > 1 ? trendEvidence(values).growth : 0;
}
