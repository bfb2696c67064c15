import { createReadStream } from 'node:fs';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { GiB } from '../base/bytes.ts';
import { errnoCode } from '../base/errors.ts';
import { damagedGzip, tooLargeUnpacked } from '../base/gzip.ts';
import { fileBytes } from '../model/disk/file-bytes.ts';
import { orUserError, readWhole } from '../model/disk/files.ts';

/** A compressed file that unfolds to more at once is a bomb, or better unpacked by hand. */
const MAX_INFLATED = GiB;
const HEAD_PACKED = 1 << 16;
const PIECE_BYTES = 1 << 18;

/** The whole file unpacked in memory. */
export function inflate(path: string): Uint8Array {
  const bytes = orUserError(path, () => readWhole(path));
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_INFLATED });
  } catch (error) {
    if (errnoCode(error) !== 'ERR_BUFFER_TOO_LARGE') throw damagedGzip(path, error);
    throw tooLargeUnpacked(path, MAX_INFLATED, error);
  }
}

/** The file unpacked piece by piece: memory does not grow with it. */
export async function* unpackedPieces(path: string): AsyncGenerator<Uint8Array> {
  const packed = createReadStream(path, { highWaterMark: PIECE_BYTES });
  const unpacked = packed
    .on('error', (error) => unpacked.destroy(error))
    .pipe(createGunzip({ chunkSize: PIECE_BYTES }));
  try {
    for await (const piece of unpacked) yield piece as Uint8Array;
  } catch (error) {
    throw damagedGzip(path, error);
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
}

/** What the file begins with, unpacked: enough to recognise it by. */
export function unpackedHead(path: string, bytes: number): Uint8Array {
  try {
    const part = fileBytes(path).readAt(0, HEAD_PACKED);
    return gunzipSync(part, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, bytes);
  } catch (error) {
    throw damagedGzip(path, error);
  }
}

/** What the file says of its own size: its last four bytes, wrong above 4 GiB and for joined files. */
export function unpackedSize(path: string, packedBytes: number): number | null {
  const last = fileBytes(path).readAt(Math.max(0, packedBytes - 4), 4);
  if (last.length < 4) return null;
  const size = new DataView(last.buffer, last.byteOffset, 4).getUint32(0, true);
  return size >= packedBytes ? size : null;
}
