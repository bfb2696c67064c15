import { report } from '../../../src/analyses/report.ts';
import { locate } from '../../../src/open/locate.ts';
import { openWithTraces } from '../../../src/open/open.ts';
import { type GpuScore, score } from './score.ts';
import type { GpuTruth } from './truth.ts';

/** The score of one recording, as its report is today. */
export async function judged(path: string, truth: GpuTruth): Promise<GpuScore> {
  const { recording, snapshots, rankTraces } = await openWithTraces(locate(path));
  return score(truth, report(recording, snapshots, rankTraces));
}
