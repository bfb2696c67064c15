import { ownInside, ownSpans } from '../../model/own-memory.ts';
import type { Recording } from '../../model/recording.ts';
import { type Series, series } from '../../model/series.ts';

/**
 * A series of the machine without our own memory: the recorder's, which grows while it records, and what our work
 * left in the workload's processes. While a process of ours lived among them nobody knows: those samples are left out.
 */
export function minusRecorder(
  recording: Recording,
  name: 'host.held' | 'host.used',
): Series | null {
  const found = series(recording, name);
  if (!found) return null;
  const host = recording.table('host');
  const own = host.f64('recorder_anon');
  const times = host.f64('time');
  const inside = ownInside(recording);
  const spans = ownSpans(recording);
  // Both come from one table; the series only lacks the rows without a value.
  let row = 0;
  let last = 0;
  let span = 0;
  const kept: number[] = [];
  const values = found.values.map((value, i) => {
    const ns = found.times[i]!;
    while (times[row]! < ns) row++;
    if (!Number.isNaN(own[row]!)) last = own[row]!;
    while (span < spans.length && spans[span]!.toNs < ns) span++;
    const oursLived = span < spans.length && spans[span]!.fromNs <= ns;
    if (!oursLived) kept.push(i);
    return value - last - inside(ns);
  });
  if (kept.length === values.length) return { ...found, values };
  const pick = (all: Float64Array) => Float64Array.from(kept, (i) => all[i]!);
  return { ...found, times: pick(found.times), values: pick(values) };
}
