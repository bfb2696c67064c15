import { lstatSync, readdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { RUNS_FOLDER } from './recordings.ts';

/** As `record` makes one where nothing else can be written. */
const TEMPORARY = /^highwater-[A-Za-z0-9]{6}$/;

/** The folders in which `record` leaves recordings when it is not told where: here, the home, and temporary ones of ours. */
export function runPlaces(): string[] {
  const home = join(homedir(), RUNS_FOLDER);
  const places = [RUNS_FOLDER, ...(resolve(RUNS_FOLDER) === home ? [] : [home])];
  return [...places, ...temporary()];
}

/** In a folder that everybody can write to, only what is our own. */
function temporary(): string[] {
  try {
    const folder = tmpdir();
    return readdirSync(folder)
      .filter((name) => TEMPORARY.test(name))
      .map((name) => join(folder, name))
      .filter((path) => {
        const stat = lstatSync(path, { throwIfNoEntry: false });
        return stat?.isDirectory() && stat.uid === process.getuid?.();
      });
  } catch {
    return [];
  }
}
