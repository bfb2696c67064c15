import { basename } from 'node:path';
import { RecordingBuilder } from '../model/builder.ts';
import { locate, openPlace } from '../open/open.ts';
import { namesOf, runPaths } from '../open/runs.ts';
import { openRankTraces, openSnapshots } from '../open/snapshots.ts';
import { heapFile, heapsBeside, isHeapFile } from './open-heaps.ts';
import { lazySweep } from './open-sweep.ts';
import type { Opener } from './opener.ts';

/** Opens for the web view what the other commands open. */
export const opener: Opener = {
  async list(inputs) {
    const found: string[] = [];
    for (const path of inputs) found.push(...(isJob(path) ? [path] : await runPaths([path])));
    return [...new Set(found)];
  },
  sweep: lazySweep,
  names: namesOf,
  async open(path, progress) {
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
  },
};

/** Ranks of one job are one run, side by side. */
function isJob(path: string): boolean {
  try {
    return locate(path).kind === 'job';
  } catch {
    return false; // opening it will say what is wrong
  }
}
