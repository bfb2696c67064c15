import { UserError } from '../../../base/errors.ts';
import { locate } from '../../../open/locate.ts';
import { IN_MEMORY_BYTES, openSampled } from '../../../open/open.ts';
import { recordingPaths } from '../../../store/inputs.ts';
import { type StoredRun, storedRun } from '../../../store/stored-run.ts';
import { ProgressLine } from '../../output/progress-line.ts';
import { saySkipped } from '../../output/skipped-inputs.ts';

/** What became of the recordings on their way into a store. */
export interface StoredRuns {
  readonly stored: number;
  readonly skipped: number;
}

/**
 * Opens one recording after the other and hands it on, so that no more than one is in memory. What cannot be read does not
 * stop the rest, and is said; where it is the only one, that is the error. Samples beyond `mostBytes` stay on the disk, and the
 * recording has them folded.
 */
export async function eachRun(
  inputs: readonly string[],
  what: string,
  store: (run: StoredRun, path: string) => Promise<void> | void,
  mostBytes = IN_MEMORY_BYTES,
): Promise<StoredRuns> {
  const paths = recordingPaths(inputs);
  const progress = new ProgressLine(what);
  const done = { stored: 0, skipped: 0 };
  try {
    for (const [i, path] of paths.entries()) {
      progress.at(i / paths.length);
      const run = await opened(path, paths.length === 1, mostBytes);
      if (run) {
        await store(run, path);
        done.stored++;
      } else done.skipped++;
    }
  } finally {
    progress.end();
  }
  if (done.stored === 0) {
    throw new UserError(`none of ${paths.length} inputs could be read as a recording`);
  }
  return done;
}

async function opened(path: string, only: boolean, mostBytes: number): Promise<StoredRun | null> {
  try {
    return storedRun(await openSampled(locate(path), mostBytes));
  } catch (error) {
    if (only || !(error instanceof UserError)) throw error;
    saySkipped([{ name: path, reason: error.message }]);
    return null;
  }
}
