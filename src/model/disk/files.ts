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
import { createAnew, openRegular } from './regular-files.ts';

/** The files of a recording, wherever they are: a folder, or a packed file in memory. */
export interface Files {
  /** Where they are, for messages. */
  readonly place: string;
  list(): string[];
  /** The whole file, or null when there is none of that name. */
  read(name: string): Uint8Array | null;
}

/** Names that belong to a recording; anything else in its folder is the user's and stays alone. */
export const OURS =
  /^(((run|sizes|stopped)\.json|[a-z_]+\.(arrow|idx))(\.new)?|(oom|peak|end)-[\d-]{1,40}\.pickle)$/;

/** Heaps that `record --heap` took, in folders of their own. */
export const HEAP_FILE = /^heap\/\d{1,9}\/(v8\.heapsnapshot|python\.hwheap)$/;

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
