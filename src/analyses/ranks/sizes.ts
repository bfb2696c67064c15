import type { Recording } from '../../model/recording.ts';

interface PeakSize {
  bytes: number;
  ns: number;
}

/** The most that each rank held at one sample, summed over its processes. */
export function peakSizes(
  recording: Recording,
  rankOf: ReadonlyMap<number, number>,
): { measure: 'pss' | 'rss' | null; peaks: Map<number, PeakSize> } {
  const table = recording.table('process');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const pss = table.f64('pss');
  const measure = table.rows === 0 ? null : pss.some((value) => value > 0) ? 'pss' : 'rss';
  const values = measure === 'pss' ? pss : table.f64('rss');
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
