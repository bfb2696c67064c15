import { firstMark, origin, SAMPLED } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';

/** When the workload ran, in ns since the recording's start. */
export interface WorkloadSpan {
  readonly startNs: number;
  readonly endNs: number;
  /** Where printed seconds count from. */
  readonly zeroNs: number;
  /** Whether marks say it; else it is the first or the last sample. */
  readonly startKnown: boolean;
  readonly endKnown: boolean;
}

/** A part of the run, in printed seconds. */
export interface SecondsRange {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

export function workloadSpan(recording: Recording): WorkloadSpan | null {
  const spans = SAMPLED.map((name) => recording.table(name))
    .filter((table) => table.rows > 0)
    .map((table) => table.f64('time'));
  if (spans.length === 0) return null;
  const start = firstMark(recording, 'start');
  const end = firstMark(recording, 'end');
  return {
    startNs: start ?? Math.min(...spans.map((times) => times[0]!)),
    endNs: end ?? Math.max(...spans.map((times) => times[times.length - 1]!)),
    zeroNs: origin(recording).ns,
    startKnown: start !== null,
    endKnown: end !== null,
  };
}
