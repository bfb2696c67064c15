import type { RecordingWithTraces } from '../analyses/report.ts';
import { MiB } from '../base/bytes.ts';
import type { ImportHints } from '../formats/input.ts';
import { folderFiles } from '../model/disk/files.ts';
import {
  type LongRecording,
  openLong,
  type Samples,
  samplesInMemory,
} from '../model/disk/long-recording.ts';
import { packedFiles } from '../model/disk/pack.ts';
import { openRecording } from '../model/disk/reader.ts';
import type { Recording } from '../model/recording.ts';
import { openAgentFiles } from './agent-files.ts';
import { noSuchEvents, openForeign } from './foreign-file.ts';
import type { ReadProgress } from './foreign-input.ts';
import { openJob } from './jobs.ts';
import { type InputLocation, locate } from './locate.ts';
import { openRankTraces, openSnapshots } from './snapshots.ts';

/**
 * Opens whatever a path names as a recording: a recording, a packed one, a folder with one, a folder with
 * one for each rank of a job, what agents wrote without a recorder, or any file that a format recognises.
 * Without a path it is the newest in ./highwater-runs. Heaps: heaps.ts; several runs: runs.ts.
 */
export async function openInput(
  path: string | undefined,
  hints: ImportHints = {},
): Promise<Recording> {
  return openLocation(locate(path), hints);
}

/** The same with allocation traces, as a report needs it; `beside`: a large trace may be read on a thread of its own. */
export async function openWithTraces(
  location: InputLocation,
  hints: ImportHints = {},
  progress: ReadProgress = () => {},
  beside = false,
): Promise<RecordingWithTraces> {
  const recording = await openLocation(location, hints, progress, beside);
  const snapshots = await openSnapshots(location, recording);
  return { recording, snapshots, rankTraces: await openRankTraces(location, recording) };
}

/** A recording with its traces, and all its samples, which need not be in memory. */
export interface SampledRecording extends RecordingWithTraces {
  readonly samples: Samples;
}

/** Samples of a recording's folder that take no more than this are in memory all at once; of others only a part is, at any time. */
export const IN_MEMORY_BYTES = 256 * MiB;

/** As `openWithTraces`, in memory that does not grow with how long was recorded. */
export async function openSampled(
  location: InputLocation,
  mostBytes = IN_MEMORY_BYTES,
): Promise<SampledRecording> {
  const long: LongRecording | null =
    location.kind === 'folder' ? openLong(location.path, mostBytes) : null;
  if (!long) {
    const opened = await openWithTraces(location);
    return { ...opened, samples: samplesInMemory(opened.recording) };
  }
  const { recording, samples } = long;
  const snapshots = await openSnapshots(location, recording);
  return { recording, snapshots, rankTraces: await openRankTraces(location, recording), samples };
}

/** What `locate` found, as a recording; `hints` tell what a foreign file may not say itself. */
export async function openLocation(
  { path, kind }: InputLocation,
  hints: ImportHints = {},
  progress: ReadProgress = () => {},
  beside = false,
): Promise<Recording> {
  if (hints.events && kind !== 'file') throw noSuchEvents(path);
  switch (kind) {
    case 'folder':
      return openRecording(folderFiles(path));
    case 'packed':
      return openRecording(packedFiles(path));
    case 'agents':
      return openAgentFiles(path);
    case 'job':
      return openJob(path);
    case 'file':
      return openForeign(path, hints, progress, beside);
  }
}
