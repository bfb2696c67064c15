import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { unzipSync, Zip, ZipDeflate } from 'fflate';
import { GiB } from '../../base/bytes.ts';
import { describeError, FormatError } from '../../base/errors.ts';
import { asUserError, type Files, OURS, orUserError, readWhole } from './files.ts';
import { refuseExisting } from './save.ts';

/** A packed recording (`.hwz`) is a plain zip of the folder's files, so any zip tool opens it. */

const CHUNK = 1 << 20;
/** Deflate cannot shrink more than 1032-fold: a header that claims more lies about its size. */
const MAX_RATIO = 1032;

/** No entry may unfold to more: far above what a recording's table can be, far below a bomb. */
const MAX_ENTRY = 8 * GiB;

/** A recording has a few dozen files; a damaged count must not make us look for billions. */
const MAX_ENTRIES = 10_000;

/** Writes all files of a recording's folder into one; returns the size of that one. */
export function packFolder(folder: string, target: string, force: boolean): number {
  refuseExisting(target, existsSync(target), force);
  // Under another name until it is whole, so that a failure does not cost the pack that was there.
  const part = `${target}.part`;
  const out = orUserError(target, () => openSync(part, 'w', 0o644), 'write');
  let bytes = 0;
  let failure: Error | null = null;
  try {
    const zip = new Zip((error, chunk) => {
      if (error) failure = error;
      else bytes += writeAll(out, chunk);
    });
    // Backwards, so that an index is read before its data, which may be growing.
    const names = readdirSync(folder).filter((file) => OURS.test(file));
    for (const name of names.sort().reverse()) {
      const entry = new ZipDeflate(name, { level: 6 });
      zip.add(entry);
      forEachChunk(join(folder, name), (chunk, last) => entry.push(chunk, last));
    }
    zip.end();
    if (failure) throw failure;
  } catch (error) {
    rmSync(part, { force: true });
    throw asUserError(target, error, 'write');
  } finally {
    closeSync(out);
  }
  renameSync(part, target);
  return bytes;
}

function writeAll(fd: number, bytes: Uint8Array): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
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
  return unpack(
    path,
    orUserError(path, () => readWhole(path)),
  );
}

/** As packedFiles, for a packed recording that is in memory already. */
export function unpack(path: string, bytes: Uint8Array): Files {
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
  let entries = 0;
  guard(() =>
    unzipSync(bytes, {
      filter: (entry) => {
        const { size, originalSize } = entry;
        if (++entries > MAX_ENTRIES) throw new FormatError('it claims too many entries');
        if (originalSize > size * MAX_RATIO + CHUNK || originalSize > MAX_ENTRY) {
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
