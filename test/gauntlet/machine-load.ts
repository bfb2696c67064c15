import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

/** How busy the machine was between two moments: a verdict is made with the machine as it is found. */
export interface MachineLoad {
  /** Running or waiting programs, averaged over the last minute. */
  readonly load: number;
  readonly cores: number;
  /** Shares of the processors' time, 0 to 1. */
  readonly busy: number;
  readonly steal: number;
}

/** Begins to watch; the function that it returns tells what there was since. */
export function watchLoad(): () => MachineLoad {
  const from = ticks();
  return () => {
    const to = ticks();
    const total = Math.max(1, to.total - from.total);
    return {
      load: loadavg()[0]!,
      cores: cpus().length,
      busy: 1 - (to.idle - from.idle) / total,
      steal: (to.steal - from.steal) / total,
    };
  };
}

/** The first line of /proc/stat: user nice system idle iowait irq softirq steal. */
function ticks() {
  const [line] = readFileSync('/proc/stat', 'utf8').split('\n');
  const counts = line!.trim().split(/\s+/).slice(1, 9).map(Number);
  return {
    total: counts.reduce((sum, count) => sum + count, 0),
    idle: counts[3]! + counts[4]!,
    steal: counts[7] ?? 0,
  };
}

export const loadText = ({ load, cores, busy, steal }: MachineLoad): string =>
  `load ${load.toFixed(1)} on ${cores} cores, busy ${percent(busy)}, steal ${percent(steal)}`;

export const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
