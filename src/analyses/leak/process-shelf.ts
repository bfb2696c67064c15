import { formatBytes } from '../../base/bytes.ts';
import type { Recording } from '../../model/recording.ts';
import { type Series, series } from '../../model/series.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
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

/**
 * What is known to be the workload's without a control group: its processes that live on, and files in /dev/shm that
 * they were seen to use. Files of the same user that merely appeared meanwhile are hearsay, and so is shared memory
 * that only the machine as a whole shows. null: no process was watched.
 */
export function processShelf(
  recording: Recording,
  span: WorkloadSpan,
  machine: Shelf | null,
): Shelf | null {
  const tree = series(recording, 'tree.pss') ?? series(recording, 'tree.rss');
  if (!tree || !span.startKnown || !span.endKnown || workloadProcesses(recording).rows === 0)
    return null;
  if (!wasWatchedAfter(recording, span)) return machine;
  const alive = survivors(tree, span);
  const files = filesLeft(recording);
  const leakedBytes = alive.bytes + files.oursBytes;
  const told = verdictOf(alive.bytes, files, machine?.remains?.shmemBytes ?? 0);
  const remains = {
    anonBytes: alive.bytes,
    shmemBytes: files.oursBytes,
    othersBytes: machine?.remains?.othersBytes ?? null,
  };
  const left = { leakedBytes, uncertaintyBytes: alive.error, after: alive.after, remains };
  const own = ownShelf('processes', tree.name, left, told);
  return told.verdict === 'inconclusive' ? { ...own, boundBytes: null } : own;
}

function verdictOf(
  alive: number,
  { oursBytes, hearsayBytes }: ReturnType<typeof filesLeft>,
  machineShmem: number,
): Pick<Shelf, 'verdict' | 'because'> {
  if (alive > SMALLEST_LEAK)
    return { verdict: 'leak', because: 'processes of the workload live on after its end' };
  if (oursBytes > SMALLEST_FILES)
    return { verdict: 'leak', because: 'files that it used in /dev/shm were left there' };
  if (hearsayBytes > SMALLEST_FILES) {
    const what = `${formatBytes(hearsayBytes)} of files appeared in /dev/shm meanwhile`;
    return { verdict: 'inconclusive', because: `${what}, and whose they are was not seen` };
  }
  if (machineShmem > SMALLEST_LEAK) {
    const what = `the machine had ${formatBytes(machineShmem)} more shared memory after it`;
    return { verdict: 'inconclusive', because: `${what}, and whose it is was not seen` };
  }
  const because = 'none of its processes lived on, and it left no file in /dev/shm';
  return { verdict: 'bounded', because };
}

/** Processes of the workload after its end, at a level. */
function survivors(tree: Series, { endNs, zeroNs }: WorkloadSpan) {
  const after = flatLevel(tree, endNs, endNs + LONGEST_NS);
  const none = { bytes: 0, error: 0, after: null };
  if (typeof after === 'string' || !after.steady) return none;
  const error = Z99 * after.error + COUNTER_BYTES;
  return { bytes: after.bytes, error, after: secondsOf(after, zeroNs) };
}

function filesLeft({ run }: Recording) {
  const sum = (bytes: (one: NonNullable<typeof run.leftInShm>[number]) => number) =>
    (run.leftInShm ?? []).reduce((total, one) => total + bytes(one), 0);
  const oursBytes = sum(({ seenBytes = 0 }) => seenBytes);
  return { oursBytes, hearsayBytes: sum(({ bytes }) => bytes) - oursBytes };
}

/** Whether anything was sampled after the end: else nobody looked. */
function wasWatchedAfter(recording: Recording, { endNs }: WorkloadSpan): boolean {
  const times = recording.table('host').f64('time');
  return times.length === 0 || times[times.length - 1]! > endNs + WATCHED_NS;
}

const WATCHED_NS = 0.25e9;
