import type { RunInfo } from '../../model/run.ts';
import type { Hello } from '../../sources/agent/kinds/hello.ts';
import type { Launch } from '../../sources/process-tree/launch.ts';

/** Where the recorder itself was started once for each rank, or once for each node. */
export function launchLabels(launch: Launch | null): RunInfo['labels'] {
  if (!launch) return {};
  const { launcher, rank, localRank, size, job, restart } = launch;
  return {
    launcher,
    rank: String(rank),
    ...(localRank !== null && { localRank: String(localRank) }),
    worldSize: String(size),
    ...(job !== null && { job }),
    ...(restart !== null && { restart: String(restart) }),
  };
}

/** What a program says of its job goes before what the recorder was told: under srun that is of nodes. */
export function noteJob(labels: RunInfo['labels'], { world, job }: Hello): void {
  if (world !== undefined) labels.worldSize = String(world);
  if (job !== undefined) labels.job = job;
}
