import type { MessagePort } from 'node:worker_threads';
import type { GpuFindings } from '../../sources/gpu/backend.ts';
import type { ClockOrigin } from './messages.ts';

/** What the GPU thread is told at its start, and what it says. */

/** The word of the threads' signal in which the writer counts batches of the GPU thread. */
export const GPU_WORD = 2;

export interface GpuSettings {
  readonly origin: ClockOrigin;
  readonly rateHz: number;
  /** Tried in this order until one answers. */
  readonly candidates: readonly GpuCandidate[];
}

/** A backend (sources/gpu) that is on this machine, and where. */
export interface GpuCandidate {
  readonly backend: string;
  readonly path: string;
}

export interface GpuThreadData {
  readonly settings: GpuSettings;
  readonly live: SharedArrayBuffer;
  /** As the writer counts (Delivery), and the word that says stop. */
  readonly signal: SharedArrayBuffer;
  readonly stop: SharedArrayBuffer;
  readonly writer: MessagePort;
}

export type FromGpu =
  /** The first sample is taken. */
  | {
      readonly type: 'open';
      /** The backend that answered. */
      readonly backend: string;
      readonly findings: GpuFindings;
    }
  | { readonly type: 'unavailable'; readonly reason: string }
  | { readonly type: 'holder'; readonly pid: number }
  | { readonly type: 'warning'; readonly text: string }
  | { readonly type: 'stopped'; readonly lostRows: number; readonly missedShare: number };
