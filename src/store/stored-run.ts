import { type RecordingWithTraces, type Report, report } from '../analyses/report.ts';
import type { Recording } from '../model/recording.ts';
import { runId } from './run-id.ts';

/** A run on its way into a store: what rows are made of. */
export interface StoredRun {
  readonly id: string;
  /** Microseconds since 1970. */
  readonly startedUs: number;
  readonly recording: Recording;
  /** Allocation traces that lay beside it. */
  readonly snapshots: readonly Recording[];
  readonly report: Report;
}

export function storedRun({ recording, snapshots }: RecordingWithTraces): StoredRun {
  const started = Date.parse(recording.run.startedAt);
  return {
    id: runId(recording),
    startedUs: Number.isNaN(started) ? 0 : started * 1000,
    recording,
    snapshots,
    report: report(recording, snapshots),
  };
}

/** A moment of the recording's clock (ns since its start) as one of the calendar. */
export const timeOf = ({ startedUs }: StoredRun, ns: number): number =>
  startedUs + Math.round(ns / 1000);
