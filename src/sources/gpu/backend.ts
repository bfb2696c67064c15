import type { RunInfo } from '../../model/run.ts';

/** What both ways to the NVIDIA driver (its library, its program) tell of themselves. */

export type Card = RunInfo['gpus'][number];

/** What was found when a GPU source was opened. */
export interface GpuFindings {
  readonly cards: readonly Card[];
  readonly driver: string;
  /** Whether the driver lists the processes on its cards at all. */
  readonly tellsProcesses: boolean;
  /** What limits the meaning of the figures, as sentences. */
  readonly notes: readonly string[];
}

export interface GpuEvents {
  /** Something went wrong midway; said once for each thing. */
  onWarning(text: string): void;
  /** A process id that the driver had not named before. */
  onHolder(pid: number): void;
}

/** The newest figure of each card, for the live line. NaN: not known. */
export interface GpuNow {
  readonly first: Float64Array;
  readonly used: Float64Array;
}
