import type { Recording } from '../../model/recording.ts';
import { type Series, series } from '../../model/series.ts';

/** A series of the machine without the recorder's own memory, which grows while it records. */
export function minusRecorder(
  recording: Recording,
  name: 'host.held' | 'host.used',
): Series | null {
  const found = series(recording, name);
  if (!found) return null;
  const host = recording.table('host');
  const own = host.f64('recorder_anon');
  const times = host.f64('time');
  // Both come from one table; the series only lacks the rows without a value.
  let row = 0;
  let last = 0;
  const values = found.values.map((value, i) => {
    while (times[row]! < found.times[i]!) row++;
    if (!Number.isNaN(own[row]!)) last = own[row]!;
    return value - last;
  });
  return { ...found, values };
}
