import type { TrainingSteps } from '../evidence/steps.ts';

/**
 * Where the events of a trace lie by step, so that two runs can be laid over each other: step 3 goes from 3 to 4, what came
 * before the first lies below 1, and what follows the last behind it. One more than there are events: where the last ends.
 */
export function stepAxis({ count, start, end }: TrainingSteps, events: number): Float64Array {
  const x = new Float64Array(events + 1);
  const first = Math.min(start[0] ?? 0, events);
  for (let event = 0; event < first; event++) x[event] = event / first;
  for (let step = 0; step < count; step++) {
    const from = start[step]!;
    const to = Math.min(step + 1 < count ? start[step + 1]! : end[step]!, events);
    for (let event = from; event < to; event++) x[event] = step + 1 + (event - from) / (to - from);
  }
  // The rest is drawn as wide as the steps were, and at most as wide as one.
  const last = Math.min(end[count - 1] ?? 0, events);
  const usual = Math.max(1, (last - first) / Math.max(1, count), events - last);
  for (let event = last; event <= events; event++) x[event] = count + 1 + (event - last) / usual;
  return x;
}
