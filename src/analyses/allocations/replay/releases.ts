import { firstFrom } from '../../../base/search.ts';
import { ACTION } from '../../../model/allocations/actions.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Limit } from './heap.ts';

/** Where the recorded run gave segments back, and what that says. */
export interface Releases {
  /** Events at which the program itself emptied the cache, or at which that is as likely. */
  readonly calls: readonly number[];
  /** What could be reserved, where a failed request shows it. */
  readonly limit: Limit | null;
}

/**
 * Segments go back to the driver by empty_cache(), or because a request found no memory. The second is known where a request then
 * failed for good: so much as was reserved and the driver had free could be reserved, and not more. What went beyond that before
 * was such a retry; everything else is replayed as a call.
 */
export function releases(trace: DeviceTrace, startReserved: number): Releases {
  const { events, actions, sizes, ooms, segmentEvents } = trace;
  // Few of all events say something; of the others only what follows a release at once.
  const oomEvents = ooms.map(({ event }) => event);
  const telling = Int32Array.from([...segmentEvents, ...oomEvents, events]).sort();
  const nextTelling = (from: number) => telling[firstFrom(telling, from)]!;
  const runs: { event: number; tried: number }[] = [];
  let [reserved, peak, capacity] = [startReserved, startReserved, Number.POSITIVE_INFINITY];
  let open: { event: number; before: number } | null = null;
  let nextOom = 0;
  for (
    let event = nextTelling(0);
    event < events;
    event = open ? event + 1 : nextTelling(event + 1)
  ) {
    const action = actions[event]!;
    if (action === ACTION.segment_free || action === ACTION.segment_unmap) {
      open ??= { event, before: reserved };
      reserved -= sizes[event]!;
      continue;
    }
    // Neither is part of a release: blocks that other streams held come free in between.
    if (action === ACTION.free_completed && open) continue;
    const fetches = action === ACTION.segment_alloc || action === ACTION.segment_map;
    if (action === ACTION.oom) {
      const oom = ooms[nextOom++]!;
      const most = Math.min(reserved + oom.deviceFree, reserved + oom.requested - 1);
      capacity = Math.min(capacity, most);
    }
    if (open) {
      const asked = fetches || action === ACTION.oom ? sizes[event]! : 0;
      runs.push({ event: open.event, tried: asked > 0 ? open.before + asked : 0 });
      open = null;
    }
    if (fetches) reserved += sizes[event]!;
    peak = Math.max(peak, reserved);
  }
  if (open) runs.push({ event: open.event, tried: 0 });
  if (capacity === Number.POSITIVE_INFINITY) {
    return { calls: runs.map(({ event }) => event), limit: null };
  }
  // The driver had room and yet nothing was fetched: the process has a limit of its own, and not less than it reserved.
  const own = ooms.some(({ deviceFree, requested }) => deviceFree >= requested);
  const most = Math.max(capacity, peak);
  const limit: Limit = own
    ? { bytes: peak, by: 'fraction', upTo: most }
    : { bytes: most, by: 'device' };
  const calls = runs.filter(({ tried }) => tried <= limit.bytes);
  return { calls: calls.map(({ event }) => event), limit };
}
