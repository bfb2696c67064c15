import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describeError, errnoCode, UserError } from '../../base/errors.ts';
import type { Files } from './recording-files.ts';
import { createAnew, openRegular } from './regular-files.ts';

export function folderFiles(folder: string): Files {
  return {
    place: folder,
    list: () => orUserError(folder, () => readdirSync(folder)),
    read(name) {
      const path = join(folder, name);
      return orUserError(path, () => {
        try {
          return readFrom(openRegular(path), Number.POSITIVE_INFINITY);
        } catch (error) {
          if (errnoCode(error) === 'ENOENT') return null;
          throw error;
        }
      });
    },
  };
}

type Doing = 'read' | 'write';

/** A failure of the operating system is the user's to mend, so it names the path. */
export function asUserError(path: string, error: unknown, doing: Doing): unknown {
  if (errnoCode(error) === undefined || error instanceof UserError) return error;
  return new UserError(`cannot ${doing} ${path}: ${describeError(error)}`, { cause: error });
}

export function orUserError<T>(path: string, work: () => T, doing: Doing = 'read'): T {
  try {
    return work();
  } catch (error) {
    throw asUserError(path, error, doing);
  }
}

/** As readFileSync, but also above 2 GiB, and into memory that is aligned for typed arrays. */
export function readWhole(path: string): Uint8Array {
  return readEnd(path, Number.POSITIVE_INFINITY);
}

/** The last bytes of a file, or all of it where it has fewer. */
export function readEnd(path: string, most: number): Uint8Array {
  return readFrom(openSync(path, 'r'), most);
}

/** Closes the descriptor. */
function readFrom(fd: number, most: number): Uint8Array {
  try {
    const { size } = fstatSync(fd);
    const bytes = new Uint8Array(Math.min(size, most));
    const start = size - bytes.length;
    let done = 0;
    while (done < bytes.length) {
      const got = readSync(fd, bytes, done, Math.min(bytes.length - done, 1 << 30), start + done);
      if (got === 0) return bytes.subarray(0, done);
      done += got;
    }
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/** Writes a file as a whole, so that a reader sees the old one or the new one, never a part. */
export function replaceFile(path: string, text: string): void {
  const fd = createAnew(`${path}.new`);
  try {
    // Writes until all is written: a full disk may take a part without complaint.
    writeFileSync(fd, text);
    fsyncSync(fd);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.new`, path);
}
