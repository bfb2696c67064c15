import { firstFrom } from '../../../base/search.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';

/** Calls of an optimizer's step, from the annotations PyTorch writes by itself, as events. */
export interface OptimizerCalls {
  readonly start: readonly number[];
  /** First event after the call. */
  readonly end: readonly number[];
  readonly names: readonly string[];
}

const STEP = /^Optimizer\.step#(.+)\.step$/;

export function optimizerCalls(recording: Recording, trace: DeviceTrace): OptimizerCalls {
  const marks = recording.table('marks');
  const [times, names, values] = [marks.f64('time'), marks.u32('name'), marks.f64('value')];
  const found = { start: [] as number[], end: [] as number[], names: new Set<string>() };
  if (trace.events === 0 || Number.isNaN(trace.times[0]!)) return { ...found, names: [] };
  const known = new Map<number, string | null>();
  let open = -1;
  for (let row = 0; row < marks.rows; row++) {
    const id = names[row]!;
    if (!known.has(id)) known.set(id, STEP.exec(recording.text(id))?.[1] ?? null);
    const name = known.get(id);
    if (!name) continue;
    found.names.add(name);
    const event = firstFrom(trace.times, times[row]!);
    if (values[row] === 1) open = event;
    else {
      // The ring may have lost the beginning.
      const start = Math.max(open, 0);
      if (start < trace.events && event > (found.end.at(-1) ?? 0)) {
        found.start.push(start);
        found.end.push(event);
      }
      open = -1;
    }
  }
  if (open >= 0 && open < trace.events) {
    found.start.push(open);
    found.end.push(trace.events);
  }
  return { ...found, names: [...found.names] };
}
