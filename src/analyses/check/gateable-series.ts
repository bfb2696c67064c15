import { repeatability } from './family.ts';
import type { RunFigures } from './run-figures.ts';

/** Every series that can have a limit, those that repeat best first. */
export interface GateableSeries {
  readonly type: 'series';
  readonly schemaVersion: 1;
  readonly series: readonly {
    readonly name: string;
    readonly peakBytes: number;
    /** 1: the same to the byte in each run; 2: nearly so; 3: moves with paging; 4: others count too. */
    readonly repeatability: 1 | 2 | 3 | 4;
  }[];
}

export function gateable({ peaks }: RunFigures): GateableSeries {
  const series = Object.entries(peaks)
    .map(([name, peakBytes]) => ({ name, peakBytes, repeatability: repeatability(name) }))
    .filter(({ peakBytes }) => peakBytes > 0)
    .sort((a, b) => a.repeatability - b.repeatability);
  return { type: 'series', schemaVersion: 1, series };
}
