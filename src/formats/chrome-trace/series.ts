import type { Recording } from '../../model/recording.ts';
import { series, seriesNames } from '../../model/series.ts';
import { micros, type TraceEvent, type Track } from './event.ts';
import { extremes } from './extremes.ts';

/** Sampled memory, a counter each series. */
export function seriesTracks(recording: Recording, pid: number): Track[] {
  return seriesNames(recording).map((name) => {
    const { times, values } = series(recording, name)!;
    const now = new Float64Array(1);
    const kept = extremes(values.length, (row) => {
      now[0] = values[row]!;
      return now;
    });
    const events = Array.from(
      kept,
      (row): TraceEvent => ({
        ph: 'C',
        name,
        pid,
        tid: 0,
        ts: micros(times[row]!),
        args: { bytes: values[row]! },
      }),
    );
    return { events, points: values.length, leftOut: values.length - kept.length };
  });
}
