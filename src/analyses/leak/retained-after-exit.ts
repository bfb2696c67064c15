import { median } from '../../base/stats.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import type { Table } from '../../model/table.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import type { SecondsRange } from './workload-span.ts';

/** Memory that stayed in use after the workload's end, by kind, and how much of it can be the workload's at all. */
export interface RetainedAfterExit {
  /** Held by processes; files in /dev/shm and other tmpfs; the kernel's own. Bytes. */
  readonly anonBytes: number;
  readonly shmemBytes: number;
  readonly kernelBytes: number;
  /**
   * At most this is the workload's: what its own control group is still charged for, or, without
   * one, shared and kernel memory plus its own processes that live on. null: not known.
   */
  readonly workloadBytes: number | null;
  /** By how much processes that are not the workload's changed meanwhile; null: not known. */
  readonly othersBytes: number | null;
}

/** null where the recording has no fields to tell them apart by. */
export function retainedAfterExit(
  recording: Recording,
  zeroNs: number,
  before: SecondsRange,
  after: SecondsRange,
): RetainedAfterExit | null {
  const host = recording.table('host');
  const ns = ({ fromSeconds, toSeconds }: SecondsRange): readonly [number, number] => [
    zeroNs + fromSeconds * SECOND_NS,
    zeroNs + toSeconds * SECOND_NS,
  ];
  const gain = (names: readonly string[]) =>
    names.reduce(
      (sum, name) => sum + level(host, name, ns(after)) - level(host, name, ns(before)),
      0,
    );
  // An import has no recorder.
  const anonBytes = gain(['AnonPages']) - (gain(['recorder_anon']) || 0);
  const shmemBytes = gain(['Shmem']);
  const kernelBytes = gain(['SUnreclaim', 'KernelStack', 'PageTables']);
  if (![anonBytes, shmemBytes, kernelBytes].every(Number.isFinite)) return null;
  const charged = recording.run.cgroup?.own
    ? level(recording.table('cgroup'), 'current', ns(after))
    : Number.NaN;
  const process = workloadProcesses(recording);
  const surviving = survivorBytes(process, ns(after)[1]);
  const unowned = Math.max(0, shmemBytes) + Math.max(0, kernelBytes);
  return {
    anonBytes,
    shmemBytes,
    kernelBytes,
    workloadBytes: Number.isFinite(charged)
      ? charged
      : process.rows > 0
        ? unowned + surviving
        : null,
    othersBytes: process.rows > 0 ? anonBytes - surviving : null,
  };
}

function level(table: Table, name: string, [from, to]: readonly [number, number]): number {
  const times = table.f64('time');
  const values = table.f64(name);
  return median(values.filter((_, row) => times[row]! >= from && times[row]! <= to));
}

/** Memory of the workload's processes that lived on, at the last sample up to a moment. */
function survivorBytes(process: Table, ns: number): number {
  const [times, rss, anon] = [process.f64('time'), process.f64('rss'), process.f64('anon')];
  let sum = 0;
  for (let row = process.rows - 1; row >= 0 && times[row]! >= ns - 0.2 * SECOND_NS; row--) {
    if (times[row] === times[process.rows - 1]) {
      sum += (Number.isNaN(anon[row]!) ? rss[row] : anon[row]) || 0;
    }
  }
  return sum;
}
