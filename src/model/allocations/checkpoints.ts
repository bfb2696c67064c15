import { type Lifetimes, lifetimes } from './lifetimes.ts';
import { applySegment, finalRegions, type Region, Regions } from './regions.ts';
import type { DeviceTrace } from './trace.ts';

/** A state is replayed from the checkpoint before it: this many events at most. */
export const CHECKPOINT_EVENTS = 65_536;

export interface Checkpoint {
  /** The state is the one before this event. */
  readonly before: number;
  /** Rows of the lifetimes that are live. */
  readonly live: Uint32Array;
  readonly regions: readonly Region[];
}

interface Kept {
  /** Regions before event k · CHECKPOINT_EVENTS; the same list where nothing changed between. */
  readonly regions: readonly (readonly Region[])[];
  readonly live: Map<number, Uint32Array>;
}

const known = new WeakMap<DeviceTrace, Kept>();

/** The last checkpoint at or before the state that `event` is about to change. */
export function checkpointBefore(trace: DeviceTrace, event: number): Checkpoint {
  let kept = known.get(trace);
  if (!kept) {
    kept = { regions: allRegions(trace), live: new Map() };
    known.set(trace, kept);
  }
  const number = Math.floor(event / CHECKPOINT_EVENTS);
  const before = number * CHECKPOINT_EVENTS;
  let live = kept.live.get(number);
  if (!live) {
    live = liveBefore(lifetimes(trace), before);
    kept.live.set(number, live);
  }
  return { before, live, regions: kept.regions[number]! };
}

/** Rows that are live before an event; those of the trace itself are in the order of their start. */
function liveBefore({ count, allocs, start, end }: Lifetimes, event: number): Uint32Array {
  const rows: number[] = [];
  for (let row = 0; row < allocs && start[row]! < event; row++) {
    if (end[row]! >= event) rows.push(row);
  }
  for (let row = allocs; row < count; row++) if (end[row]! >= event) rows.push(row);
  return Uint32Array.from(rows);
}

/** One way back from the final state, with a copy at each checkpoint. */
function allRegions(trace: DeviceTrace): (readonly Region[])[] {
  const { segmentEvents, events } = trace;
  const regions = new Regions(finalRegions(trace));
  const kept: (readonly Region[])[] = [];
  let copy: readonly Region[] | null = null;
  let left = segmentEvents.length;
  // An event after the last one may start a stretch of its own.
  for (let number = Math.floor(events / CHECKPOINT_EVENTS); number >= 0; number--) {
    for (; left > 0 && segmentEvents[left - 1]! >= number * CHECKPOINT_EVENTS; left--) {
      applySegment(regions, trace, segmentEvents[left - 1]!, true);
      copy = null;
    }
    copy ??= [...regions.list];
    kept[number] = copy;
  }
  return kept;
}
