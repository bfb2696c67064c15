import type { Recording } from '../../model/recording.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import type { JudgedSeries } from './judged-series.ts';
import { numberedRoles } from './roles.ts';
import { trendEvidence } from './trend-evidence.ts';
import { iterationsOf, trendValues } from './trend-values.ts';
import type { WorkloadSpan } from './workload-span.ts';

/** One process, or several that followed each other in one role: `data loader 2` of each epoch. */
export interface ProcessGrowth {
  /** `data loader 2`, `main`; its name where it has no role. */
  readonly role: string;
  /** In the order in which they came. */
  readonly pids: readonly number[];
  readonly growthBytes: number;
}

/** Most processes of a build live for a moment: too short for a trend. */
const FEWEST_VALUES = 8;

/** By how much each process grew, in the measure by which the leak shows; the largest first. Empty: that belongs to no process. */
export function processGrowth(
  recording: Recording,
  span: WorkloadSpan,
  leaking: { readonly measure: JudgedSeries['measure']; readonly series: string },
): ProcessGrowth[] {
  const iterations = iterationsOf(recording);
  return [...byRole(recording, valuesOf(recording, leaking))]
    .flatMap(([role, { pids, times, values }]): ProcessGrowth[] => {
      const series = {
        name: role,
        times: Float64Array.from(times),
        values: Float64Array.from(values),
      };
      const judged = trendValues(series, iterations, span);
      if (judged.y.length < FEWEST_VALUES) return [];
      return [{ role, pids: [...pids], growthBytes: trendEvidence(judged).growth }];
    })
    .sort((a, b) => b.growthBytes - a.growthBytes);
}

interface Values {
  readonly times: Float64Array;
  readonly pids: Uint32Array;
  readonly values: Float64Array;
}

function valuesOf(
  recording: Recording,
  { measure, series }: Parameters<typeof processGrowth>[2],
): Values | null {
  if (measure === 'held' || measure === 'shm') return null;
  if (measure === 'device') return counterValues(recording, series);
  const table = workloadProcesses(recording);
  const column = measure === 'PSS' ? 'pss' : measure === 'RSS' ? 'rss' : 'anon';
  return { times: table.f64('time'), pids: table.u32('pid'), values: table.f64(column) };
}

/** What each process told of its own. */
function counterValues(recording: Recording, name: string): Values {
  const table = recording.table('counters');
  const names = table.u32('name');
  const rows = names.map((_, row) => row).filter((row) => recording.text(names[row]!) === name);
  const [times, pids, values] = [table.f64('time'), table.u32('pid'), table.f64('value')];
  return {
    times: Float64Array.from(rows, (row) => times[row]!),
    pids: Uint32Array.from(rows, (row) => pids[row]!),
    values: Float64Array.from(rows, (row) => values[row]!),
  };
}

interface RoleValues {
  readonly pids: Set<number>;
  readonly times: number[];
  readonly values: number[];
}

function byRole(recording: Recording, all: Values | null): Map<string, RoleValues> {
  const roleAt = numberedRoles(recording);
  const found = new Map<string, RoleValues>();
  for (const [row, value] of all?.values.entries() ?? []) {
    if (Number.isNaN(value)) continue;
    const [pid, time] = [all!.pids[row]!, all!.times[row]!];
    const role = roleAt(pid, time);
    const one = found.get(role) ?? { pids: new Set(), times: [], values: [] };
    found.set(role, one);
    one.pids.add(pid);
    one.times.push(time);
    one.values.push(value);
  }
  return found;
}
