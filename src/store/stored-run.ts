import { type Report, report } from '../analyses/report.ts';
import type { Samples } from '../model/disk/long-recording.ts';
import type { Recording } from '../model/recording.ts';
import { type Series, seriesNames } from '../model/series.ts';
import type { SampledRecording } from '../open/open.ts';
import { runId } from './run-id.ts';

/** A run on its way into a store: what rows are made of. */
export interface StoredRun {
  readonly id: string;
  /** Microseconds since 1970. */
  readonly startedUs: number;
  /** Of a long one not all samples are in it. */
  readonly recording: Recording;
  readonly samples: Samples;
  /** Of each series, by its name. */
  readonly ends: ReadonlyMap<string, SeriesEnds>;
  /** Allocation traces that lay beside it. */
  readonly snapshots: readonly Recording[];
  readonly report: Report;
}

/** How a series begins and ends, and how many samples it has. */
export interface SeriesEnds {
  readonly first: number;
  readonly last: number;
  readonly samples: number;
}

export function storedRun({ recording, snapshots, samples }: SampledRecording): StoredRun {
  const started = Date.parse(recording.run.startedAt);
  return {
    id: runId(recording, samples),
    startedUs: Number.isNaN(started) ? 0 : started * 1000,
    recording,
    samples,
    ends: new Map(seriesNames(recording).map((name) => [name, endsOf(samples.pieces(name))])),
    snapshots,
    report: report(recording, snapshots),
  };
}

function endsOf(pieces: Iterable<Series>): SeriesEnds {
  const ends = { first: Number.NaN, last: Number.NaN, samples: 0 };
  for (const { values } of pieces) {
    if (ends.samples === 0) ends.first = values[0]!;
    ends.last = values.at(-1)!;
    ends.samples += values.length;
  }
  return ends;
}

/** A moment of the recording's clock (ns since its start) as one of the calendar. */
export const timeOf = ({ startedUs }: StoredRun, ns: number): number =>
  startedUs + Math.round(ns / 1000);
