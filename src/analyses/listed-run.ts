import type { Recording } from '../model/recording.ts';
import { ending } from './ending.ts';
import { leak } from './leak/index.ts';
import type { LeakVerdict } from './leak/trend-rules.ts';
import { peaks } from './peaks.ts';
import { stopped } from './stopped.ts';
import { timing } from './timing.ts';

/** A recording among others: enough to find the one that is meant. */
export interface ListedRun {
  readonly name: string;
  readonly argv: readonly string[];
  readonly startedAt: string;
  readonly durationSeconds: number;
  /** As the first line of a report has it; null where nothing was measured. */
  readonly peak: { readonly series: string; readonly bytes: number } | null;
  readonly ended: {
    readonly how: ReturnType<typeof ending>['how'];
    readonly code: number | null;
    readonly signal: string | null;
    /** null: cannot be known, or nothing ended. */
    readonly outOfMemory: boolean | null;
  };
  /** Recorded to its end, and all of it can be read. */
  readonly complete: boolean;
}

export function listedRun(recording: Recording): ListedRun {
  const { run } = recording;
  // What is damaged is known when it was read.
  for (const name of recording.tables) recording.table(name);
  const { headline, peaks: all } = peaks(recording);
  const peak = headline ?? all.toSorted((a, b) => b.bytes - a.bytes)[0];
  const { how, code, signal, oomKilled, oomMessages } = ending(recording);
  const { durationSeconds } = timing(recording);
  return {
    name: run.name,
    argv: run.argv,
    startedAt: run.startedAt,
    durationSeconds,
    peak: peak ? { series: peak.series, bytes: peak.bytes } : null,
    ended: { how, code, signal, outOfMemory: oomMessages.length > 0 ? true : oomKilled },
    complete:
      stopped(recording) === null && (run.lostRows ?? 0) === 0 && recording.damage.length === 0,
  };
}

/** The same with whether it leaks: what a reader chooses by. */
export interface ListedVerdict extends ListedRun {
  readonly leak: LeakVerdict;
}

export const listedVerdict = (recording: Recording): ListedVerdict => ({
  ...listedRun(recording),
  leak: leak(recording).verdict,
});

/** Recordings to choose from, the newest first. */
export interface FoundRecordings {
  /** Where they were looked for. */
  readonly places: readonly string[];
  readonly recordings: readonly {
    readonly path: string;
    readonly name: string;
    /** In milliseconds since 1970. */
    readonly started: number;
  }[];
}
