import { SECOND_NS } from '../../base/time.ts';
import { withGaps } from '../../model/gaps.ts';
import type { Recording } from '../../model/recording.ts';
import { workloadProcesses } from '../../model/workload-processes.ts';
import { type KnownProcess, KnownProcesses } from '../processes/known-processes.ts';
import { panelCurve, take } from './panel-curve.ts';
import type { PanelSource } from './source.ts';

/** More bands than this cannot be distinguished. */
const MOST_BANDS = 8;
const OTHERS = 'others';

/** The process tree, stacked by what its processes do. */
export function treeSource(recording: Recording, zero: number): PanelSource | null {
  const table = workloadProcesses(recording);
  const pss = table.f64('pss');
  const measured = pss.some((value) => !Number.isNaN(value));
  const values = measured ? pss : table.f64('rss');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const known = new KnownProcesses(recording);
  const keyOf = (pid: number, ns: number) => bandName(known.at(pid, ns));
  const shown = largest(times, pids, values, keyOf);
  if (shown.length === 0) return null;
  const place = new Map(shown.map((key, i) => [key, i]));
  const samples = countSamples(times);
  const x = new Float64Array(samples);
  const total = new Float64Array(samples);
  const bands = shown.map(() => new Float64Array(samples));
  let at = -1;
  for (let row = 0, last = Number.NaN; row < times.length; row++) {
    if (times[row] !== last) {
      last = times[row]!;
      x[++at] = (last - zero) / SECOND_NS;
    }
    const value = values[row]!;
    if (Number.isNaN(value)) continue;
    total[at]! += value;
    bands[place.get(keyOf(pids[row]!, last)) ?? shown.length - 1]![at]! += value;
  }
  // A pause in sampling breaks the stack as it breaks a line.
  const wide = withGaps({ name: 'tree', times: x, values: total });
  const rowOf = rowsBehind(wide.values);
  return {
    id: 'tree',
    title: measured ? 'Processes, proportional (PSS)' : 'Processes, summed RSS (upper bound)',
    steps: false,
    limit: null,
    lines: [],
    stack: {
      total: panelCurve(wide.times, wide.values),
      bands: (picked) => {
        const rows = picked.map((row) => rowOf[row]!);
        return shown.map((key, i) => ({ key, label: key, bytes: take(bands[i]!, rows) }));
      },
    },
  };
}

/** Which sample each point stands for; beyond all of them where it is a break. */
function rowsBehind(values: Float64Array): Uint32Array {
  const rows = new Uint32Array(values.length).fill(values.length);
  let row = 0;
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i]!)) rows[i] = row++;
  return rows;
}

const bandName = ({ role, name, pid }: KnownProcess) => role || name || `pid ${pid}`;

/** The bands with the highest peaks, the largest at the ground; the rest together on top. */
function largest(
  times: Float64Array,
  pids: Uint32Array,
  values: Float64Array,
  keyOf: (pid: number, ns: number) => string,
): string[] {
  const peaks = new Map<string, number>();
  for (let row = 0; row < times.length; row++) {
    const value = values[row]!;
    if (Number.isNaN(value)) continue;
    const key = keyOf(pids[row]!, times[row]!);
    if (value > (peaks.get(key) ?? -1)) peaks.set(key, value);
  }
  const sorted = [...peaks].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  if (sorted.length <= MOST_BANDS) return sorted;
  return [...sorted.slice(0, MOST_BANDS - 1), OTHERS];
}

function countSamples(times: Float64Array): number {
  let count = 0;
  for (let row = 0; row < times.length; row++)
    if (row === 0 || times[row] !== times[row - 1]) count++;
  return count;
}
