import { basename } from 'node:path';
import { UserError } from '../base/errors.ts';
import { orUserError } from '../model/disk/files.ts';
import { looksPacked } from '../model/disk/unpack.ts';
import { isAgentFile, isAgentFolder } from './agent-files.ts';
import { jobIn, partPaths } from './jobs.ts';
import { headOf, statOf } from './named-file.ts';
import { findNewest, isRecordingFolder, RUNS_FOLDER } from './recordings.ts';
import { runPlaces } from './run-places.ts';

/** What a user's argument turned out to be. */
export interface InputLocation {
  readonly path: string;
  readonly kind: 'folder' | 'packed' | 'agents' | 'job' | 'file';
}

/** What the argument names; without one, the newest recording where `record` leaves them. */
export function locate(path: string | undefined): InputLocation {
  if (path === undefined) {
    const newest = findNewest(...runPlaces());
    if (newest) return locate(newest);
    throw new UserError(`there is no recording in ./${RUNS_FOLDER} or ~/${RUNS_FOLDER}`, {
      hint: 'make one: highwater record -- <command>',
    });
  }
  const stat = statOf(path);
  if (stat.isDirectory()) {
    if (isRecordingFolder(path)) return { path, kind: 'folder' };
    return isAgentFolder(path) ? { path, kind: 'agents' } : onlyOne(path);
  }
  if (!stat.isFile()) {
    throw new UserError(`${path} is neither a file nor a folder`, {
      hint: 'save what it gives to a file first',
    });
  }
  if (stat.size === 0)
    throw new UserError(`${path} is empty`, { hint: 'was it written to its end?' });
  if (isAgentFile(path)) return { path, kind: 'agents' };
  return { path, kind: looksPacked(headOf(path)) ? 'packed' : 'file' };
}

function onlyOne(folder: string): InputLocation {
  const found = orUserError(folder, () => partPaths(folder));
  if (found.length === 1) return locate(found[0]!);
  if (found.length === 0) {
    throw new UserError(`${folder} is no recording, and has none in it`, {
      hint: 'make one: highwater record -- <command>',
    });
  }
  const job = orUserError(folder, () => jobIn(folder));
  if (job?.ok) return { path: folder, kind: 'job' };
  const shown = found.slice(0, 5).map((path) => basename(path));
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  throw new UserError(`${folder} holds ${found.length} recordings: ${shown.join(', ')}${more}`, {
    hint: `name one of them; they are not ranks of one job${job ? ` (${job.reason})` : ''}`,
  });
}

/** Whether a file is a packed recording or, by its content, of a format that can be read. */
export async function looksReadable(path: string): Promise<boolean> {
  const head = headOf(path);
  const { FORMATS } = await import('../formats/index.ts');
  return (
    looksPacked(head) ||
    isAgentFile(path) ||
    FORMATS.some((format) => format.read && format.sniff(head))
  );
}
