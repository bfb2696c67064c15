import type { PlanFigure, ServingSample } from '../../model/engine-plan.ts';
import type { SamplingInfo } from '../../model/run.ts';
import type { TableSpec } from '../../model/schema.ts';
import type { Batch } from '../../model/table.ts';
import type { RowMessage } from '../../sources/agent/kinds/index.ts';
import type { Received } from '../../sources/agent/kinds/kind.ts';
import type { Mark } from '../../sources/agent/kinds/mark.ts';
import type { MallocReading } from '../../sources/malloc/reader.ts';
import type { MappedReading } from '../../sources/mappings/reader.ts';
import type { GroupLocation, PssReading } from '../../sources/source.ts';

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

/** Of a recording of one moment: it was this, in ns since the start. */
export interface Moment {
  readonly type: 'moment';
  readonly time: number;
}

export type ToSampler =
  | { readonly type: 'root'; readonly pid: number; readonly ownSession: boolean }
  | { readonly type: 'mark'; readonly mark: Mark }
  | { readonly type: 'agent'; readonly received: Received<RowMessage> }
  /** Our work in a fork of a process, or inside of it, begins or ends. */
  | {
      readonly type: 'own';
      readonly pid: number;
      readonly where: 'beside' | 'inside';
      readonly begins: boolean;
      /** At the end, where the process itself measured what of ours stays in it. */
      readonly left?: number;
    }
  | { readonly type: 'pss'; readonly readings: readonly PssReading[] }
  | { readonly type: 'mapped'; readonly reading: MappedReading }
  | { readonly type: 'malloc'; readonly reading: MallocReading }
  | { readonly type: 'engine'; readonly time: number; readonly news: EngineRow }
  | Moment
  | { readonly type: 'stop' };

/** What a line of an engine becomes: a row. */
export type EngineRow =
  | { readonly type: 'figure'; readonly figure: PlanFigure }
  | { readonly type: 'sample'; readonly sample: ServingSample }
  | {
      readonly type: 'passed-over';
      readonly engine: string;
      readonly line: number;
      readonly known: string;
    };

export type FromSampler =
  /** The first sample is taken: from now on nothing of a workload is missed. */
  | { readonly type: 'ready'; readonly thread: number | null }
  | { readonly type: 'birth'; readonly pid: number; readonly startTime: number }
  | { readonly type: 'death'; readonly pid: number }
  /** It is clearly larger than when this was last said of it. */
  | { readonly type: 'rose'; readonly pid: number; readonly rss: number }
  /** Processes of ours among the workload's. */
  | { readonly type: 'own-birth'; readonly pid: number; readonly startTime: number }
  | { readonly type: 'own-death'; readonly pid: number }
  | { readonly type: 'limit'; readonly what: 'memory' | 'swap'; readonly bytes: number }
  | { readonly type: 'warning'; readonly text: string }
  | {
      readonly type: 'stopped';
      readonly sampling: Omit<SamplingInfo, 'recorderCpuSeconds'>;
      readonly lostRows: number;
    };

export type ToWriter =
  | Moment
  | { readonly type: 'batch'; readonly spec: TableSpec; readonly batch: Batch }
  | { readonly type: 'close' };

export type FromWriter =
  /** There will be no metrics any more. */
  | { readonly type: 'unmeasured'; readonly text: string }
  | { readonly type: 'failed'; readonly text: string; readonly code: string | null }
  | { readonly type: 'closed'; readonly foldedSeconds: number | null };
