import type { Recording } from '../../model/recording.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';

interface PeakSize {
  bytes: number;
  ns: number;
}

/** `pss` where any process was measured so. */
export function sizeMeasure(recording: Recording): 'pss' | 'rss' | null {
  const table = workloadProcesses(recording);
  if (table.rows === 0) return null;
  return table.f64('pss').some((value) => value > 0) ? 'pss' : 'rss';
}

/** The most that each rank held at one sample, summed over its processes. */
export function peakSizes(
  recording: Recording,
  rankOf: ReadonlyMap<number, number>,
): { measure: 'pss' | 'rss' | null; peaks: Map<number, PeakSize> } {
  const table = workloadProcesses(recording);
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const measure = sizeMeasure(recording);
  const values = table.f64(measure ?? 'rss');
  const peaks = new Map<number, PeakSize>();
  const now = new Map<number, number>();
  for (let row = 0; row < table.rows; row++) {
    const rank = rankOf.get(pids[row]!);
    if (rank !== undefined && !Number.isNaN(values[row]!)) {
      now.set(rank, (now.get(rank) ?? 0) + values[row]!);
    }
    if (times[row + 1] === times[row]) continue;
    for (const [one, bytes] of now) {
      if (bytes > (peaks.get(one)?.bytes ?? -1)) peaks.set(one, { bytes, ns: times[row]! });
    }
    now.clear();
  }
  return { measure, peaks };
}
