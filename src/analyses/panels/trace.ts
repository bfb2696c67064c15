import { SECOND_NS } from '../../base/time.ts';
import { curve as bytesOf } from '../../model/allocations/curve.ts';
import { deviceId, deviceName } from '../../model/allocations/device-name.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import { surveyOf } from '../allocations/evidence/survey.ts';
import { momentInRun } from '../allocations/run-step.ts';
import { stretchStarts } from './envelope.ts';
import type { Clock } from './panel.ts';
import { panelCurve } from './panel-curve.ts';
import type { PanelSource } from './source.ts';
import { categoryBands } from './trace-bands.ts';

/** A trace, and the run that it is of: its own recording, or one that it lies beside. */
interface TraceOfRun {
  readonly run: Recording;
  readonly recording: Recording;
  readonly trace: DeviceTrace;
  /** Among all of the run. */
  readonly index: number;
}

/** An allocator's bytes, stacked by what they are; null where its events have no times. */
export function traceSource(
  { run, recording, trace, index }: TraceOfRun,
  clock: Clock,
  zero: number,
): PanelSource | null {
  if (trace.events === 0) return null;
  const x = clock === 'event' ? null : seconds(trace, zero);
  if (clock === 'time' && !x) return null;
  const { requested, reserved } = bytesOf(trace);
  const id = deviceId(trace.device);
  const total = panelCurve(x, requested);
  const knowsReserved = reserved.some((bytes) => bytes > 0);
  const known = surveyOf(recording, trace);
  const { peakEvent, peakRequested } = known.bytes;
  const peakRow = Math.max(0, peakEvent);
  return {
    id: `trace${id}`,
    title: `Allocated on ${deviceName(id)}`,
    steps: true,
    limit: null,
    lines: knowsReserved
      ? [{ series: 'reserved', label: 'reserved by the allocator', curve: panelCurve(x, reserved) }]
      : [],
    stack: {
      total,
      stretches: stretchStarts(known.steps, trace.events),
      bands: (rows) => categoryBands(recording, trace, rows),
    },
    trace: { index, peakEvent },
    told: {
      x: x ? x[peakRow]! : peakRow,
      value: peakRequested,
      by: 'samples',
      moment: momentInRun(run, known, peakEvent),
    },
  };
}

/** Rising: streams of one device may write events a little out of order. */
function seconds({ times }: DeviceTrace, zero: number): Float64Array | null {
  if (Number.isNaN(times[0]!)) return null;
  let last = Number.NEGATIVE_INFINITY;
  return times.map((ns) => {
    if (ns > last) last = ns;
    return (last - zero) / SECOND_NS;
  });
}
