import type { Availability } from '../model/run.ts';
import type { TableSpec } from '../model/schema.ts';
import type { TableBuffer } from '../model/table.ts';

/**
 * A live measurement. `probe` says whether it can work here, and is what `doctor` prints; `open`
 * is called in the sampling thread, where nothing may wait: reads are of files held open.
 */
export interface Source<Options = undefined, Opened extends Sampler = Sampler> {
  readonly id: string;
  readonly title: string;
  probe(machine: Machine): Availability;
  open(machine: Machine, sink: Sink, options: Options): Opened;
}

/** Where the kernel shows itself; tests hand in folders of their own. */
export interface Machine {
  readonly proc: string;
  readonly cgroup: string;
}

export const THIS_MACHINE: Machine = { proc: '/proc', cgroup: '/sys/fs/cgroup' };

export interface Tick {
  /** ns since the recording's start. */
  readonly time: number;
  /** Whether to read everything. A lean tick reads only what can change by much within a millisecond. */
  readonly full: boolean;
}

export interface Sampler {
  sample(tick: Tick): void;
  close(): void;
}

/** Where samplers put what they measured. */
export interface Sink {
  table(spec: TableSpec): TableBuffer;
  intern(text: string): number;
}
