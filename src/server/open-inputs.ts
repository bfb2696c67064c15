import { basename } from 'node:path';
import type { RankRecording } from '../analyses/report.ts';
import { RecordingBuilder } from '../model/builder.ts';
import type { InputProgress } from '../model/inputs-info.ts';
import type { Recording } from '../model/recording.ts';
import { locate, openPlace } from '../open/open.ts';
import { runPaths } from '../open/runs.ts';
import { openRankTraces, openSnapshots } from '../open/snapshots.ts';
import { type HeapSource, heapFile, heapsBeside, isHeapFile } from './open-heaps.ts';

/** What opening one input gives. */
export interface OpenedInput {
  readonly recording: Recording;
  /** Allocation traces that lay beside it. */
  readonly snapshots: readonly Recording[];
  readonly heaps?: readonly HeapSource[];
  /** Traces of the ranks of a job, to hold them against each other. */
  readonly rankTraces?: readonly RankRecording[];
}

/** The runs that arguments name, as paths: a folder may hold several, unless they are the ranks of one job. */
export async function inputPaths(inputs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of inputs) found.push(...(isJob(path) ? [path] : await runPaths([path])));
  return [...new Set(found)];
}

/** Everything that a page may be asked to show of one input; heaps are read when they are looked at. */
export async function openInput(
  path: string,
  progress: (progress: InputProgress) => void,
): Promise<OpenedInput> {
  const place = locate(path);
  if (isHeapFile(place)) {
    // Of such a run nothing was sampled: a recording without tables.
    const recording = new RecordingBuilder({ id: path, name: basename(path) }).build();
    return { recording, snapshots: [], heaps: [heapFile(place)] };
  }
  const read = (done: number, total: number | null) => progress({ what: 'reading', done, total });
  const recording = await openPlace(place, {}, read);
  const snapshots = await openSnapshots(place, recording);
  const rankTraces = await openRankTraces(place, recording);
  return { recording, snapshots, rankTraces, heaps: heapsBeside(place) };
}

function isJob(path: string): boolean {
  try {
    return locate(path).kind === 'job';
  } catch {
    return false; // opening it will say what is wrong
  }
}
