import type { SamplingInfo } from '../../model/run.ts';
import type { TableSpec } from '../../model/schema.ts';
import type { Batch } from '../../model/table.ts';
import type { ObjectRow, TensorRow } from '../../sources/agent/protocol.ts';
import type { GroupLocation } from '../../sources/cgroup/location.ts';
import type { PssReading } from '../../sources/pss.ts';
import type { SurveyOfProcess } from '../agents/survey-intake.ts';

/** What the threads of a recorder say to each other. */

/** [seconds, nanoseconds] of CLOCK_MONOTONIC, which all threads share. */
export type ClockOrigin = readonly [number, number];

export interface SamplerSettings {
  readonly origin: ClockOrigin;
  readonly rateHz: number;
  /** NAME=value in the workload's environment. */
  readonly marker: string;
  readonly resetPeaks: boolean;
  readonly cgroup: (GroupLocation & { readonly own: boolean }) | null;
  readonly memoryLimit: number | null;
  readonly swapLimit: number | null;
}

export interface Mark {
  readonly time: number;
  readonly timeFrom: number;
  readonly pid: number | null;
  readonly rank?: number | null;
  readonly kind: 'start' | 'end' | 'iteration' | 'step' | 'epoch' | 'phase' | 'note' | 'oom';
  readonly name: string;
  readonly epoch?: number | null;
  readonly iteration?: number | null;
  readonly value?: number | null;
}

/** What changed in a model in one iteration of one process. */
export interface LayersOfIteration {
  readonly time: number;
  readonly pid: number;
  readonly rank: number | null;
  readonly epoch: number | null;
  readonly iteration: number | null;
  /** [name, kind, bytes]; null: gone. */
  readonly rows: readonly (readonly [string, string, number | null])[];
}

/** What one process read off itself at one moment. */
export interface CountersOfProcess {
  readonly time: number;
  readonly pid: number;
  readonly rank: number | null;
  readonly values: Readonly<Record<string, number>>;
}

/** The tensors that lived in one process at one moment. */
export type TensorsOfProcess = SurveyOfProcess<TensorRow>;
/** What of its Python objects had grown. */
export type ObjectsOfProcess = SurveyOfProcess<ObjectRow>;

export type ToSampler =
  | { readonly type: 'root'; readonly pid: number; readonly ownSession: boolean }
  | { readonly type: 'mark'; readonly mark: Mark }
  | { readonly type: 'layers'; readonly layers: LayersOfIteration }
  | { readonly type: 'counters'; readonly counters: CountersOfProcess }
  | { readonly type: 'tensors'; readonly tensors: TensorsOfProcess }
  | { readonly type: 'objects'; readonly objects: ObjectsOfProcess }
  | { readonly type: 'pss'; readonly readings: readonly PssReading[] }
  | { readonly type: 'stop' };

export type FromSampler =
  /** The first sample is taken: from now on nothing of a workload is missed. */
  | { readonly type: 'ready'; readonly thread: number | null }
  | { readonly type: 'birth'; readonly pid: number; readonly startTime: number }
  | { readonly type: 'death'; readonly pid: number }
  | { readonly type: 'limit'; readonly what: 'memory' | 'swap'; readonly bytes: number }
  | { readonly type: 'warning'; readonly text: string }
  | {
      readonly type: 'stopped';
      readonly sampling: Omit<SamplingInfo, 'recorderCpuSeconds'>;
      readonly lostRows: number;
    };

export type ToWriter =
  | { readonly type: 'batch'; readonly spec: TableSpec; readonly batch: Batch }
  | { readonly type: 'close' };

export type FromWriter =
  | { readonly type: 'failed'; readonly text: string }
  | { readonly type: 'closed'; readonly foldedSeconds: number | null };
