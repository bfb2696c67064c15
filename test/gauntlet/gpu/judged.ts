import { type Report, report } from '../../../src/analyses/report.ts';
import { locate } from '../../../src/open/locate.ts';
import { openWithTraces } from '../../../src/open/open.ts';
import { type GpuScore, score } from './score.ts';
import type { GpuTruth } from './truth.ts';

export async function reportOf(path: string): Promise<Report> {
  const { recording, snapshots, rankTraces } = await openWithTraces(locate(path));
  return report(recording, snapshots, rankTraces);
}

/** The score of one recording, as its report is today. */
export const judged = async (path: string, truth: GpuTruth): Promise<GpuScore> =>
  score(truth, await reportOf(path));
