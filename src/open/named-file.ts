import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { errnoCode, UserError } from '../base/errors.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import { fileBytes } from '../model/disk/file-bytes.ts';
import { asUserError, orUserError } from '../model/disk/files.ts';

const PIECE_BYTES = 1 << 20;

/** What a path that the user typed is; one that leads nowhere is told in those words. */
export function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') {
      throw new UserError(`there is no file or folder ${path}`, { cause: error });
    }
    throw asUserError(path, error, 'read');
  }
}

/** As much of a file as its format is recognised by. */
export const headOf = (path: string): Uint8Array => fileBytes(path).readAt(0, HEAD_BYTES);

/** The file in pieces that may be kept: each is in memory of its own. */
export function* keptPieces(path: string): Generator<Uint8Array> {
  const fd = orUserError(path, () => openSync(path, 'r'));
  try {
    for (;;) {
      const piece = new Uint8Array(PIECE_BYTES);
      const got = orUserError(path, () => readSync(fd, piece));
      if (got === 0) return;
      yield piece.subarray(0, got);
    }
  } finally {
    closeSync(fd);
  }
}
