import { firstFrom } from '../../../base/search.ts';
import type { Lifetimes } from '../../../model/allocations/lifetimes.ts';

/** When the program let go of it: a stream may hold the memory a little longer. */
export function letGo(life: Lifetimes, row: number): number {
  const asked = life.freeRequested[row]!;
  return asked >= 0 ? asked : life.end[row]!;
}

/** The first of the trace's own allocations at or after an event. */
export function firstRow({ start, allocs }: Lifetimes, event: number): number {
  return firstFrom(start, event, allocs);
}
