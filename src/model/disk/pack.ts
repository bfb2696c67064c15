import {
  closeSync,
  existsSync,
  lstatSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { Zip, ZipDeflate } from 'fflate';
import { UserError } from '../../base/errors.ts';
import { asUserError, orUserError, readWhole } from './files.ts';
import { type Files, OURS } from './recording-files.ts';
import { createAnew, openRegular, refuseLinks } from './regular-files.ts';
import { refuseExisting } from './save.ts';
import { unpack } from './unpack.ts';

/** A packed recording (`.hwz`) is a plain zip of the folder's files, so any zip tool opens it. */

const CHUNK = 1 << 20;
/** Sizes in a zip have 32 bits. */
const MAX_BYTES = 0xffff_fffe;

/** Writes all files of a recording's folder into one, and of its heaps those named; returns the size of that one. */
export function packFolder(
  folder: string,
  target: string,
  force: boolean,
  heaps: readonly string[] = [],
): number {
  refuseExisting(target, existsSync(target), force);
  // Under another name until it is whole, so that a failure does not cost the pack that was there.
  const part = `${target}.part`;
  const out = orUserError(target, () => createAnew(part), 'write');
  let bytes = 0;
  let failure: Error | null = null;
  try {
    const zip = new Zip((error, chunk) => {
      if (error) failure = error;
      else bytes += writeAll(out, chunk);
    });
    // Backwards, so that an index is read before its data, which may be growing.
    const names = readdirSync(folder).filter((file) => OURS.test(file));
    for (const name of [...names.sort().reverse(), ...heaps]) {
      refuseLinks(folder, name);
      if (lstatSync(join(folder, name)).size > MAX_BYTES) throw tooLarge(name);
      const entry = new ZipDeflate(name, { level: 6 });
      zip.add(entry);
      forEachChunk(join(folder, name), (chunk, last) => entry.push(chunk, last));
    }
    zip.end();
    if (failure) throw failure;
    if (bytes > MAX_BYTES) throw tooLarge(basename(target));
  } catch (error) {
    rmSync(part, { force: true });
    throw asUserError(target, error, 'write');
  } finally {
    closeSync(out);
  }
  renameSync(part, target);
  return bytes;
}

function tooLarge(name: string): UserError {
  return new UserError(`${name} is over 4 GiB, which a packed recording cannot be`, {
    hint: 'share the folder itself, or record with a smaller --max-disk',
  });
}

function writeAll(fd: number, bytes: Uint8Array): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
}

function forEachChunk(path: string, visit: (chunk: Uint8Array, last: boolean) => void): void {
  const fd = openRegular(path);
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

/** The files inside a packed recording; each is inflated when it is read. */
export function packedFiles(path: string): Files {
  return unpack(
    path,
    orUserError(path, () => readWhole(path)),
  );
}
