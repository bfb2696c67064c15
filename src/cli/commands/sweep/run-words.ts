import { join } from 'node:path';
import { compare } from '../../../analyses/compare/index.ts';
import { formatMiB } from '../../../base/bytes.ts';
import { describeError } from '../../../base/errors.ts';
import { formatDuration } from '../../../base/time.ts';
import { folderFiles } from '../../../model/disk/files.ts';
import { openRecording } from '../../../model/disk/reader.ts';
import type { RunEntry } from '../../../sweep/manifest.ts';

/** How a run went, for its line of progress. */
export function runWords(folder: string, run: RunEntry, hasLog: boolean): string {
  if (run.state === 'failed') {
    return `failed, ${run.reason}${hasLog ? ` (see ${join(folder, run.log)})` : ''}`;
  }
  try {
    const recording = openRecording(folderFiles(join(folder, run.recording)));
    const [one] = compare([{ name: run.recording, recording }]).runs;
    if (!one) return 'done, too short for a sample';
    return `peak ${formatMiB(one.peakBytes)}, ${formatDuration(one.durationSeconds)}`;
  } catch (error) {
    // The table at the end tells the same; a sweep does not stop for a line of progress.
    return `done, but ${describeError(error)}`;
  }
}
