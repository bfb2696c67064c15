import { SECOND_NS } from '../../base/time.ts';
import { curve as bytesOf } from '../../model/allocations/curve.ts';
import { deviceId, deviceName } from '../../model/allocations/device-name.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import type { Clock } from './panel.ts';
import { panelCurve } from './panel-curve.ts';
import type { PanelSource } from './source.ts';
import { categoryBands } from './trace-bands.ts';

/** An allocator's bytes, stacked by what they are; null where its events have no times. */
export function traceSource(
  recording: Recording,
  trace: DeviceTrace,
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
  return {
    id: `trace${id}`,
    title: `Allocated on ${deviceName(id)}`,
    steps: true,
    limit: null,
    lines: knowsReserved
      ? [{ series: 'reserved', label: 'reserved by the allocator', curve: panelCurve(x, reserved) }]
      : [],
    stack: { total, bands: (rows) => categoryBands(recording, trace, rows) },
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
