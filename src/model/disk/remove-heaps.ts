import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoCode } from '../../base/errors.ts';
import { HEAP_FILE } from './recording-files.ts';

/** A heap that was not finished, and what was left of asking for it. */
const BESIDE = /\.(part|go)$/;

/** Removes the heaps of a recording's folder, and nothing else that is there: no link is followed, and somebody's own file stays with its folder. */
export function removeHeaps(folder: string): void {
  const heaps = join(folder, 'heap');
  if (!isFolder(heaps)) return;
  for (const number of readdirSync(heaps).filter((name) => isFolder(join(heaps, name)))) {
    for (const name of readdirSync(join(heaps, number))) {
      const path = `heap/${number}/${name}`;
      const isOurs = HEAP_FILE.test(path.replace(BESIDE, ''));
      if (isOurs && lstatSync(join(folder, path)).isFile()) rmSync(join(folder, path));
    }
    removeEmpty(join(heaps, number));
  }
  removeEmpty(heaps);
}

const isFolder = (path: string) =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errnoCode(error) ?? '')) throw error;
  }
}
