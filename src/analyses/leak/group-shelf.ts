import { lastUpTo } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { type Series, series } from '../../model/series.ts';
import { flatLevel } from './flat-level.ts';
import {
  COUNTER_BYTES,
  LONGEST_NS,
  ownShelf,
  type Shelf,
  SMALLEST_FILES,
  SMALLEST_LEAK,
  secondsOf,
  Z99,
} from './shelf-levels.ts';
import type { WorkloadSpan } from './workload-span.ts';

/** The kernel frees what an exit leaves within moments. */
const SETTLED_NS = 0.25 * SECOND_NS;

/**
 * What the workload's own control group is still charged for after the end: exact, whatever others do. null: it has
 * no such group, or that was not read after the end.
 */
export function groupShelf(recording: Recording, span: WorkloadSpan): Shelf | null {
  if (!recording.run.cgroup?.own) return null;
  const held = series(recording, 'cgroup.held');
  const after = held && levelAfter(held, span);
  if (!after) return null;
  const shmemBytes = sharedAt(recording, after.toNs);
  const counters = COUNTER_BYTES * Math.sqrt(Math.max(1, recording.run.host.cpus));
  const files = (recording.run.leftInShm ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  const anonBytes = Math.max(0, after.bytes - shmemBytes);
  const error = Math.hypot(Z99 * after.error, counters);
  // The files themselves are known to the byte: the kernel's counters for each processor lag behind.
  const exact = files > 0 && anonBytes < counters && Math.abs(files - after.bytes) <= error;
  const leakedBytes = exact ? files : after.bytes;
  const uncertaintyBytes = exact ? 0 : error;
  const leaks =
    leakedBytes > SMALLEST_LEAK || shmemBytes > Math.max(SMALLEST_FILES, 3 * uncertaintyBytes);
  const clear = leakedBytes + uncertaintyBytes < SMALLEST_LEAK;
  const remains = {
    anonBytes: exact ? 0 : anonBytes,
    shmemBytes: exact ? files : shmemBytes,
    othersBytes: null,
  };
  return ownShelf(
    'cgroup',
    'cgroup.held',
    { leakedBytes, uncertaintyBytes, after: secondsOf(after, span.zeroNs), remains },
    leaks
      ? { verdict: 'leak', because: 'its control group still held memory after its end' }
      : clear
        ? { verdict: 'bounded', because: 'its control group held nothing of note after its end' }
        : { verdict: 'inconclusive', because: 'its control group held a little after its end' },
  );
}

/** Flat, where it was read often enough for that; else as it was last read. */
function levelAfter(held: Series, { endNs }: WorkloadSpan) {
  const flat = flatLevel(held, endNs, endNs + LONGEST_NS);
  if (typeof flat !== 'string' && flat.steady) return flat;
  const row = lastUpTo(held.times, endNs + LONGEST_NS);
  const at = held.times[row]!;
  return row >= 0 && at >= endNs + SETTLED_NS
    ? { bytes: held.values[row]!, error: 0, fromNs: at, toNs: at, steady: true }
    : null;
}

function sharedAt(recording: Recording, ns: number): number {
  const group = recording.table('cgroup');
  const [times, shmem] = [group.f64('time'), group.f64('shmem')];
  let row = lastUpTo(times, ns);
  while (row >= 0 && Number.isNaN(shmem[row]!)) row--;
  return row < 0 ? 0 : shmem[row]!;
}
