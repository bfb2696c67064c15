import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoCode } from '../base/errors.ts';
import { asUserError } from '../model/disk/files.ts';
import { OURS } from '../model/disk/recording-files.ts';
import { removeHeaps } from '../model/disk/remove-heaps.ts';
import { gpuLogNames } from './gpu-log-names.ts';
import { LOCK, refuseLocked } from './lock.ts';
import { MANIFEST, PLOTS } from './manifest.ts';
import { readManifest } from './manifest-file.ts';
import { refuseOrphans } from './orphan.ts';

export interface Cleaned {
  /** Recordings, logs and pictures that are gone. */
  readonly removed: number;
  /** What was not the sweep's and is still there, relative to the folder. */
  readonly kept: readonly string[];
}

/** Removes what a sweep made, and nothing else: no links are followed, no unknown file is touched. */
export function cleanSweep(folder: string): Cleaned {
  const { runs, plots } = readManifest(folder);
  refuseLocked(folder);
  refuseOrphans(folder, runs);
  let removed = 0;
  try {
    const gpuLogs = gpuLogNames(runs);
    for (const { recording, log } of runs) {
      removed += removeFile(join(folder, gpuLogs.get(recording)!));
      removed += removeRecording(join(folder, recording)) + removeFile(join(folder, log));
    }
    if (kindOf(join(folder, PLOTS)) === 'folder') {
      for (const plot of plots) removed += removeFile(join(folder, plot));
      removeEmpty(join(folder, PLOTS));
    }
    for (const name of [LOCK, `${MANIFEST}.new`, MANIFEST]) removeFile(join(folder, name));
    const kept = kindOf(folder) === 'folder' ? filesIn(folder, '') : [];
    if (kept.length === 0) removeEmpty(folder);
    return { removed, kept };
  } catch (error) {
    throw asUserError(folder, error, 'write');
  }
}

/** Only files that a recording has; somebody's notes beside them stay. */
function removeRecording(path: string): number {
  if (kindOf(path) !== 'folder') return 0;
  const ours = readdirSync(path).filter((name) => OURS.test(name));
  const gone = ours.reduce((sum, name) => sum + removeFile(join(path, name)), 0);
  removeHeaps(path);
  removeEmpty(path);
  return gone > 0 ? 1 : 0;
}

function removeFile(path: string): number {
  if (kindOf(path) !== 'file') return 0;
  rmSync(path);
  return 1;
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EINVAL', 'EBUSY'].includes(errnoCode(error) ?? ''))
      throw error;
  }
}

function kindOf(path: string): 'file' | 'folder' | 'other' | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other';
}

/** Everything that is left; folders in which there is something are not named themselves. */
function filesIn(folder: string, inside: string): string[] {
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    const deeper = entry.isDirectory() ? filesIn(folder, path) : [];
    return deeper.length > 0 ? deeper : [path];
  });
}
