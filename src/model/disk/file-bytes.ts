import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { orUserError } from './files.ts';

/** Small enough to stay in the cache of a core until it was read. */
const PIECE_BYTES = 1 << 17;

/** A file of any size, in pieces and by place. */
export interface FileBytes {
  readonly name: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Pieces in order, all in the same memory. */
  stream(): Iterable<Uint8Array>;
  /** Fewer bytes where the file ends. */
  readAt(offset: number, length: number): Uint8Array;
}

export function fileBytes(path: string): FileBytes {
  const { size, mtimeMs } = orUserError(path, () => statSync(path));
  return {
    name: basename(path),
    size,
    modified: mtimeMs,
    *stream() {
      const fd = orUserError(path, () => openSync(path, 'r'));
      try {
        const piece = new Uint8Array(PIECE_BYTES);
        for (;;) {
          const got = orUserError(path, () => readSync(fd, piece));
          if (got === 0) return;
          yield piece.subarray(0, got);
        }
      } finally {
        closeSync(fd);
      }
    },
    readAt(offset, length) {
      // Opened each time: who reads texts of a heap may do so for hours, and must not hold the file.
      return orUserError(path, () => {
        const fd = openSync(path, 'r');
        try {
          const bytes = new Uint8Array(length);
          return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
        } finally {
          closeSync(fd);
        }
      });
    },
  };
}
