import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UserError } from '../base/errors.ts';
import { folderFiles } from '../model/disk/files.ts';
import { packedFiles } from '../model/disk/pack.ts';
import { openRecording } from '../model/disk/reader.ts';
import { mergeJob } from '../model/job/merge.ts';
import { type JobMatch, matchJob } from '../model/job/one-job.ts';
import type { Recording } from '../model/recording.ts';
import { isPacked, recordingsIn } from './recordings.ts';

/** The recordings in a folder; packed ones too, but not what is there unpacked as well. */
export function partPaths(folder: string): string[] {
  const whole = recordingsIn(folder);
  const packed = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isPacked(entry.name))
    .map((entry) => join(folder, entry.name))
    .filter((path) => !whole.includes(path.replace(/z$/i, '')));
  return [...whole, ...packed].sort();
}

/** Whether what lies in a folder is one job, with its parts; null where there are not at least two. */
export function jobIn(folder: string): JobMatch | null {
  const paths = partPaths(folder);
  if (paths.length < 2) return null;
  return matchJob(paths.map((path) => ({ name: basename(path), recording: openPart(path) })));
}

/** A folder with one recording for each rank, or each node, as one recording. */
export function openJob(folder: string): Recording {
  const { parts, warnings } = wholeJob(folder);
  return mergeJob(basename(resolve(folder)), parts, warnings);
}

function wholeJob(folder: string): JobMatch & { ok: true } {
  const found = jobIn(folder);
  if (found?.ok) return found;
  throw new UserError(`${folder} is not one job${found ? `: ${found.reason}` : ''}`);
}

const openPart = (path: string) =>
  openRecording(isPacked(path) ? packedFiles(path) : folderFiles(path));
