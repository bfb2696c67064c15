import type { RunInfo } from '../../model/run.ts';
import type { ThreadsEnd } from '../threads/threads.ts';

/** What is known of a run only once all threads have ended. */
export function noteClosing(run: RunInfo, end: ThreadsEnd, pssDenied: number): void {
  run.foldedSeconds = end.foldedSeconds;
  if (end.stopped) {
    const { user, system } = process.cpuUsage();
    run.sampling = { ...end.stopped.sampling, recorderCpuSeconds: (user + system) / 1e6 };
    if (end.stopped.lostRows > 0) {
      run.warnings.push(`${end.stopped.lostRows} rows were lost: the disk was too slow for them`);
    }
  }
  if (pssDenied > 0) {
    run.warnings.push(
      `${pssDenied} processes belong to somebody else: their proportional size is unknown`,
    );
  }
  run.endedAt = new Date().toISOString();
}
