import { basename } from 'node:path';
import { RecordingBuilder } from '../model/builder.ts';
import type { InputProgress } from '../model/inputs-info.ts';
import { isHeapFile } from '../open/heaps.ts';
import { locate } from '../open/locate.ts';
import { openWithTraces, type RecordingWithTraces } from '../open/open.ts';
import { runPaths } from '../open/runs.ts';
import { type HeapSource, heapAlone, heapsBeside } from './open-heaps.ts';

/** What opening one input gives. */
export interface OpenedInput extends RecordingWithTraces {
  readonly heaps: readonly HeapSource[];
}

/** The runs that arguments name, as paths: a folder may hold several, unless they are the ranks of one job. */
export async function inputPaths(inputs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of inputs) found.push(...(isJob(path) ? [path] : await runPaths([path])));
  return [...new Set(found)];
}

/** Everything that a page may be asked to show of one input; heaps are read when they are looked at. */
export async function openViewInput(
  path: string,
  progress: (progress: InputProgress) => void,
): Promise<OpenedInput> {
  const location = locate(path);
  if (isHeapFile(path)) {
    // Of such a run nothing was sampled: a recording without tables.
    const recording = new RecordingBuilder({ id: path, name: basename(path) }).build();
    return { recording, snapshots: [], rankTraces: [], heaps: [heapAlone(path)] };
  }
  const read = (done: number, total: number | null) => progress({ what: 'reading', done, total });
  return { ...(await openWithTraces(location, {}, read)), heaps: heapsBeside(location) };
}

function isJob(path: string): boolean {
  try {
    return locate(path).kind === 'job';
  } catch {
    return false; // opening it will say what is wrong
  }
}
