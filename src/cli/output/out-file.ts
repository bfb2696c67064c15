import { once } from 'node:events';
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { asUserError } from '../../model/disk/files.ts';
import { createAnew } from '../../model/disk/regular-files.ts';
import { refuseExisting } from '../../model/disk/save.ts';

/** Writes a file that is either whole or not there; a device or pipe is written as it is; `-` is standard output. */
export function writeOutFile(
  path: string,
  pieces: Iterable<string | Uint8Array>,
  force: boolean,
): void {
  // As everywhere.
  if (path === '-') {
    for (const piece of pieces) writeAll(process.stdout.fd, piece);
    return;
  }
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    const special = there !== undefined && !there.isFile() && !there.isDirectory();
    refuseExisting(path, there !== undefined && !special, force);
    const part = special ? path : `${path}.part`;
    const fd = special ? openSync(part, 'w') : createAnew(part);
    try {
      for (const piece of pieces) writeAll(fd, piece);
      if (!special) renameSync(part, path);
    } catch (error) {
      if (!special) rmSync(part, { force: true });
      throw error;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw asUserError(path, error, 'write');
  }
}

function writeAll(fd: number, piece: string | Uint8Array): void {
  const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/** Writes to a stream no faster than its reader reads. */
export async function writeStream(
  stream: NodeJS.WritableStream,
  pieces: Iterable<string | Uint8Array>,
): Promise<void> {
  for (const piece of pieces) if (!stream.write(piece)) await once(stream, 'drain');
}
