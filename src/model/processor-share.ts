import type { Recording } from './recording.ts';
import type { Series } from './series.ts';

/** How much of the processors the process tree used. It is no memory, and so none of the series that reports and limits go by. */
export interface ProcessorShare {
  /** `tree.cpu`: in percent of one core, as `top` shows it; means over equal stretches of time. */
  readonly series: Series;
  /** Mean from the first to the last look, in cores. */
  readonly cores: number;
}

/** Shorter stretches would show the kernel's hundredths of a second. */
const LEAST_NS = 0.5e9;
const MOST_STRETCHES = 1000;

/** null where processor time was not recorded. */
export function processorShare(recording: Recording): ProcessorShare | null {
  const table = recording.table('process');
  const [times, pids, cpu] = [table.f64('time'), table.u32('pid'), table.f64('cpu')];
  const looks = [...cpu.keys()].filter((row) => !Number.isNaN(cpu[row]!));
  const [first, end] = [times[looks[0] ?? 0]!, times[looks.at(-1) ?? 0]!];
  if (!(end > first)) return null;
  const count = Math.max(1, Math.min(MOST_STRETCHES, Math.floor((end - first) / LEAST_NS)));
  const wide = (end - first) / count;
  const used = new Float64Array(count);
  const before = new Map<number, number>();
  for (const row of looks) {
    const last = before.get(pids[row]!);
    before.set(pids[row]!, row);
    // Less than before: another process of the same number.
    if (last === undefined || cpu[row]! < cpu[last]!) continue;
    const from = (times[last]! - first) / wide;
    spread(used, cpu[row]! - cpu[last]!, from, (times[row]! - first) / wide);
  }
  const stretches = Float64Array.from(used.keys());
  return {
    series: {
      name: 'tree.cpu',
      times: stretches.map((i) => first + (i + 0.5) * wide),
      values: used.map((ns) => (100 * ns) / wide),
    },
    cores: used.reduce((sum, ns) => sum + ns, 0) / (end - first),
  };
}

/** Shares an amount out over the stretches between two places, each as much as it has of that way. */
function spread(into: Float64Array, amount: number, from: number, to: number): void {
  const last = Math.min(into.length - 1, Math.ceil(to) - 1);
  for (let i = Math.max(0, Math.floor(from)); i <= last; i++) {
    const way = Math.min(to, i + 1) - Math.max(from, i);
    if (way > 0) into[i]! += (amount * way) / (to - from);
  }
}
