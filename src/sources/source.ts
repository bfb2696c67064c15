import type { Availability } from '../model/run.ts';
import type { TableSpec } from '../model/schema.ts';
import type { TableBuffer } from '../model/table.ts';
import type { OwnWork } from './own-work.ts';

/** A live measurement, one of the list in `index.ts`. */
export interface Source<Opened extends Sampler = Sampler> {
  readonly id: string;
  readonly title: string;
  /** Whether it can work here: what `doctor` prints. */
  probe(machine: Machine): Availability;
  /**
   * Called in the sampling thread, where nothing may wait: reads are of files held open. null where this run has
   * nothing for it. Absent where it is read in another thread.
   */
  open?(run: SampledRun): Opened | null;
}

/** What a source needs to know of the run, and where it puts what it measured. */
export interface SampledRun {
  readonly machine: Machine;
  readonly sink: Sink;
  /** NAME=value that the workload was given, by which orphans of its tree are known. */
  readonly marker: string;
  /** Whether most ticks are lean (`Tick.full`). */
  readonly lean: boolean;
  /** Reset the kernel's high-water marks at each full tick, so that each window has its own peak. */
  readonly resetPeaks: boolean;
  /** The control group to read; null where there is none. */
  readonly cgroup: GroupLocation | null;
  readonly ownWork: OwnWork;
  /** A process of the workload came, or went. */
  readonly onBirth: (pid: number, startTime: number) => void;
  readonly onDeath: (pid: number) => void;
  /** One is clearly larger than when this was last said of it. */
  readonly onRise?: (pid: number, rss: number) => void;
  /** A process of ours among them came, or went. */
  readonly onOwnBirth: (pid: number, startTime: number) => void;
  readonly onOwnDeath: (pid: number) => void;
  readonly onWarning: (text: string) => void;
}

/** Where the kernel shows itself; tests hand in folders of their own. */
export interface Machine {
  readonly proc: string;
  readonly cgroup: string;
}

export const THIS_MACHINE: Machine = { proc: '/proc', cgroup: '/sys/fs/cgroup' };

/** A control group with memory accounting, and which of the two interfaces it speaks. */
export interface GroupLocation {
  readonly version: 1 | 2;
  readonly folder: string;
}

export interface Tick {
  /** ns since the recording's start. */
  readonly time: number;
  /** Whether to read everything. A lean tick reads only what can change by much within a millisecond. */
  readonly full: boolean;
}

export interface Sampler {
  /** Whether lean ticks are for it, too. */
  readonly takesLeanTicks?: true;
  sample(tick: Tick): void;
  close(): void;
}

/** Where samplers put what they measured. */
export interface Sink {
  table(spec: TableSpec): TableBuffer;
  intern(text: string): number;
}

/** Proportional memory of a process, read in another thread than all else. */
export interface PssReading {
  readonly pid: number;
  readonly pss: number;
  readonly rss: number;
  /** What it shares with nobody. */
  readonly private: number;
}
