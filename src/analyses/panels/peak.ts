import { lastUpTo } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import { lastMarks } from '../../model/last-marks.ts';
import type { Recording } from '../../model/recording.ts';
import type { TimelineMark } from '../timeline.ts';
import type { PanelPeak, TraceMoment } from './panel.ts';
import { type PanelSource, peakOf } from './source.ts';

/** A trace of the run, and what moment its times count from. */
interface TimedTrace {
  readonly trace: DeviceTrace;
  readonly zero: number;
}

/** The peak of a panel with what else was the case then; what is no memory has none. `timed` where it stands on the clock. */
export function peakIn(
  source: PanelSource,
  marks: readonly TimelineMark[],
  traces: readonly TimedTrace[],
  timed: { readonly recording: Recording; readonly zero: number } | null,
): PanelPeak | null {
  const peak = source.unit ? null : peakOf(source);
  if (!peak || !(peak.value > 0)) return null;
  const usual = usualTrace(traces);
  const moment = (index: number, event: number, isPeak: boolean): TraceMoment => ({
    trace: index === usual ? null : index,
    event,
    isPeak,
    of: traces[index]!.trace.events,
  });
  const own = source.trace;
  const found = timed && !own ? eventsAt(traces, peak.x) : [];
  return {
    ...peak,
    marks: lastMarks(marks, peak.x),
    events: own
      ? [moment(own.index, own.peakEvent, true)]
      : found.map(([index, event]) => moment(index, event, false)),
    heap: timed && nearestHeap(timed.recording, timed.zero + peak.x * SECOND_NS),
  };
}

/** The one with the most events, as `chosenTrace` of the server has it. */
const usualTrace = (traces: readonly TimedTrace[]): number =>
  traces.reduce(
    (most, { trace }, i) => (most < 0 || trace.events > traces[most]!.trace.events ? i : most),
    -1,
  );

/** How far each had come; those that had not begun by then, or were over, are left out. */
function eventsAt(
  traces: readonly TimedTrace[],
  seconds: number,
): [index: number, event: number][] {
  return traces.flatMap(({ trace, zero }, index) => {
    const { times, events } = trace;
    const ns = zero + seconds * SECOND_NS;
    const isWithin = events > 0 && ns >= times[0]! && ns <= times[events - 1]!;
    return isWithin ? [[index, lastUpTo(times, ns, events)]] : [];
  });
}

/** By the numbers of their folders, which is how pages count them. */
function nearestHeap({ run }: Recording, ns: number): number | null {
  const folder = (file: string) => Number(/\d+/.exec(file)?.[0] ?? 0);
  const heaps = [...(run.heaps ?? [])].sort((a, b) => folder(a.file) - folder(b.file));
  if (heaps.length === 0) return null;
  return heaps.reduce(
    (best, heap, i) => (Math.abs(heap.ns - ns) < Math.abs(heaps[best]!.ns - ns) ? i : best),
    0,
  );
}
