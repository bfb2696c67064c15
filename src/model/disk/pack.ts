import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { unzipSync, Zip, ZipDeflate } from 'fflate';
import { describeError, FormatError } from '../../base/errors.ts';
import type { Files } from './files.ts';

/** A packed recording (`.hwz`) is a plain zip of the folder's files, so any zip tool opens it. */

const CHUNK = 1 << 20;
/** Deflate cannot shrink more than 1032-fold: a header that claims more lies about its size. */
const MAX_RATIO = 1032;

/** Only these belong to a recording; anything else in the folder is the user's and stays there. */
const OURS = /^(run\.json|[a-z_]+\.(arrow|idx))$/;

/** Writes all files of a recording's folder into one; returns the size of that one. */
export function packFolder(folder: string, target: string, force: boolean): number {
  const out = openSync(target, force ? 'w' : 'wx', 0o644);
  let bytes = 0;
  let failure: Error | null = null;
  try {
    const zip = new Zip((error, chunk) => {
      if (error) failure = error;
      else bytes += writeSync(out, chunk);
    });
    for (const name of readdirSync(folder).filter((file) => OURS.test(file))) {
      const entry = new ZipDeflate(name, { level: 6 });
      zip.add(entry);
      forEachChunk(join(folder, name), (chunk, last) => entry.push(chunk, last));
    }
    zip.end();
    if (failure) throw failure;
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  } finally {
    closeSync(out);
  }
  return bytes;
}

function forEachChunk(path: string, visit: (chunk: Uint8Array, last: boolean) => void): void {
  const fd = openSync(path, 'r');
  try {
    for (;;) {
      const chunk = new Uint8Array(CHUNK);
      const got = readSync(fd, chunk, 0, CHUNK, null);
      visit(chunk.subarray(0, got), got === 0);
      if (got === 0) return;
    }
  } finally {
    closeSync(fd);
  }
}

/** Whether a file begins as every zip does. */
export function looksPacked(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** The files inside a packed recording; each is inflated when it is read. */
export function packedFiles(path: string): Files {
  const bytes = readFileSync(path);
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof FormatError) throw error;
      throw new FormatError(
        `${basename(path)} is not a whole packed recording: ${describeError(error)}`,
        { cause: error },
      );
    }
  };
  const names: string[] = [];
  guard(() =>
    unzipSync(bytes, {
      filter: (entry) => {
        if (entry.originalSize > entry.size * MAX_RATIO + CHUNK) {
          throw new FormatError(`${basename(path)}: entry ${entry.name} lies about its size`);
        }
        if (OURS.test(entry.name)) names.push(entry.name);
        return false;
      },
    }),
  );
  return {
    place: path,
    list: () => names,
    read: (name) =>
      names.includes(name)
        ? guard(() => unzipSync(bytes, { filter: (entry) => entry.name === name })[name] ?? null)
        : null,
  };
}
