import type { GpuFindings } from '../../sources/gpu/backend.ts';
import type { ClockOrigin } from './messages.ts';

/** What the GPU thread is told at its start, and what it says. */

/** The word of the threads' signal in which the writer counts batches of the GPU thread. */
export const GPU_WORD = 2;

export interface GpuSettings {
  readonly origin: ClockOrigin;
  readonly rateHz: number;
  /** The driver's library, tried first; null: not there or not wanted. */
  readonly library: string | null;
  /** nvidia-smi, for where the library does not do. */
  readonly program: string | null;
}

export type FromGpu =
  /** The first sample is taken. */
  | {
      readonly type: 'open';
      readonly source: 'nvml' | 'nvidia-smi';
      readonly findings: GpuFindings;
    }
  | { readonly type: 'unavailable'; readonly reason: string }
  | { readonly type: 'holder'; readonly pid: number }
  | { readonly type: 'warning'; readonly text: string }
  | { readonly type: 'stopped'; readonly lostRows: number; readonly missedShare: number };
