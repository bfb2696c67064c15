import { basename, resolve } from 'node:path';
import { listedVerdict } from '../analyses/listed-run.ts';
import type { RecordingsHere } from '../answers/opened.ts';
import { UserError } from '../base/errors.ts';
import { openInput } from '../open/open.ts';
import { findRuns } from '../open/recordings.ts';
import { runPlaces } from '../open/run-places.ts';

/** What `highwater list` lists. Looked for anew each time: runs come and go while a page is open. */
export function recordingsHere(): RecordingsHere {
  const places = runPlaces();
  const found = findRuns(...places);
  return {
    places: places.map((place) => resolve(place)),
    recordings: found.map(({ path, started }) => ({ path, name: nameOf(path), started })),
    async open(path) {
      if (!found.some((run) => run.path === path)) {
        throw new UserError(`${path} is none of the recordings here`);
      }
      return listedVerdict(await openInput(path));
    },
  };
}

const nameOf = (path: string) => basename(path).replace(/\.hw$/, '');
