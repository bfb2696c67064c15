import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errnoCode } from '../../base/errors.ts';

/** The files of a recording, wherever they are: a folder, or a packed file in memory. */
export interface Files {
  /** Where they are, for messages. */
  readonly place: string;
  list(): string[];
  /** The whole file, or null when there is none of that name. */
  read(name: string): Uint8Array | null;
}

export function folderFiles(folder: string): Files {
  return {
    place: folder,
    list: () => readdirSync(folder),
    read(name) {
      try {
        return readWhole(join(folder, name));
      } catch (error) {
        if (errnoCode(error) === 'ENOENT') return null;
        throw error;
      }
    },
  };
}

/** As readFileSync, but also above 2 GiB, and into memory that is aligned for typed arrays. */
function readWhole(path: string): Uint8Array {
  const fd = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(fstatSync(fd).size);
    let done = 0;
    while (done < bytes.length) {
      const got = readSync(fd, bytes, done, Math.min(bytes.length - done, 1 << 30), done);
      if (got === 0) return bytes.subarray(0, done);
      done += got;
    }
    return bytes;
  } finally {
    closeSync(fd);
  }
}
