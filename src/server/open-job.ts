import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HeatMapFold } from '../analyses/job/heat-map.ts';
import { JobFold } from '../analyses/job/index.ts';
import type { JobSource } from '../answers/opened.ts';
import { FormatError } from '../base/errors.ts';
import { readSummary } from '../model/disk/summary-file.ts';
import { isPacked, isRecordingFolder } from '../open/recordings.ts';
import { summariesIn } from '../open/summaries.ts';

/** Fewer ranks are put together, and have all pages of a recording. */
const MANY_RANKS = 64;
const LOOKED_AT = 3;

/** Whether a folder holds the recordings of so many ranks that only their summaries are read. */
export function isLargeJob(folder: string): boolean {
  try {
    if (!statSync(folder).isDirectory() || isRecordingFolder(folder)) return false;
    const parts = readdirSync(folder, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() || entry.isSymbolicLink() || isPacked(entry.name),
    );
    if (parts.length <= MANY_RANKS) return false;
    const some = parts.filter((entry) => !entry.isFile()).slice(0, LOOKED_AT);
    return some.length > 0 && some.every(({ name }) => hasRank(join(folder, name)));
  } catch {
    return false; // opening it will say what is wrong
  }
}

function hasRank(path: string): boolean {
  try {
    return readSummary(path)?.ranks.some(({ rank }) => rank !== null) ?? false;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

/** Read when it is first looked at. */
export function jobSource(folder: string): JobSource {
  let opened: ReturnType<JobSource['open']> | undefined;
  return {
    open(progress) {
      opened ??= read(folder, progress);
      return opened;
    },
  };
}

const read: (
  folder: string,
  ...rest: Parameters<JobSource['open']>
) => ReturnType<JobSource['open']> = async (folder, progress) => {
  const [fold, map] = [new JobFold(), new HeatMapFold()];
  const at = (done: number, total: number) => {
    if (done % 64 === 0) progress({ what: 'reading summaries', done, total });
  };
  for await (const one of summariesIn(folder, at)) {
    if (!one.summary) fold.unreadable(one.reason);
    else {
      fold.add(one.summary, one.details, one.made);
      map.add(one.summary, one.details);
    }
  }
  return map.result(fold.result(folder));
};
