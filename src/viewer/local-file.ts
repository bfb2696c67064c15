import { Gunzip } from 'fflate';
import { GiB, MiB } from '../base/bytes.ts';
import { describeError, UserError } from '../base/errors.ts';
import { damagedGzip, isGzip, tooLargeUnpacked } from '../base/gzip.ts';
import { type ImportHints, type Input, makeInput } from '../formats/input.ts';
import type { FileBytes } from '../model/disk/file-bytes.ts';

/** A read at a time; each is a copy across processes of the browser. */
const PIECE_BYTES = 4 * MiB;
/** A compressed file that unfolds to more is a bomb, or better unpacked by hand. */
const MOST_INFLATED = 8 * GiB;

/** A file of the reader's machine that was given to the page. Only a worker can read one piece after the other without waiting. */
export function localFile(file: File): FileBytes {
  const reader = new FileReaderSync();
  const readAt = (offset: number, length: number) => {
    try {
      return new Uint8Array(reader.readAsArrayBuffer(file.slice(offset, offset + length)));
    } catch (error) {
      throw new UserError(`cannot read ${file.name}: ${describeError(error)}`, {
        hint: 'it was moved or changed since it was dropped: drop it again',
        cause: error,
      });
    }
  };
  return {
    name: file.name,
    size: file.size,
    modified: file.lastModified,
    *stream() {
      for (let at = 0; at < file.size; at += PIECE_BYTES) yield readAt(at, PIECE_BYTES);
    },
    readAt,
  };
}

/** The file piece by piece, unpacked where it is a gzip file. */
export const piecesOf = (file: FileBytes): Iterable<Uint8Array> =>
  isGzip(file.readAt(0, 2)) ? unpacked(file) : file.stream();

function* unpacked(file: FileBytes): Generator<Uint8Array> {
  let [done, bytes] = [0, 0];
  const ready: Uint8Array[] = [];
  const gunzip = new Gunzip((piece) => {
    if (piece.length > 0) ready.push(piece);
  });
  try {
    for (const piece of file.stream()) {
      done += piece.length;
      gunzip.push(piece, done >= file.size);
      for (const one of ready.splice(0)) {
        bytes += one.length;
        yield one;
      }
      if (bytes > MOST_INFLATED) throw tooLargeUnpacked(file.name, MOST_INFLATED);
    }
  } catch (error) {
    throw damagedGzip(file.name, error);
  }
}

/** The beginning of a file, unpacked. */
export function headOf(file: FileBytes, bytes: number): Uint8Array {
  const start = file.readAt(0, bytes);
  if (!isGzip(start)) return start;
  for (const piece of unpacked(file)) return piece.subarray(0, bytes);
  return new Uint8Array();
}

/** The file for a format to read. */
export function inputOf(
  file: FileBytes,
  progress: (done: number, total: number | null) => void,
): Input {
  const packed = isGzip(file.readAt(0, 2));
  const name = packed ? file.name.replace(/\.gz$/i, '') : file.name;
  const hints: ImportHints = { modified: file.modified / 1000 };
  const size = packed ? null : file.size;
  const pieces = function* () {
    let done = 0;
    for (const piece of piecesOf(file)) {
      yield piece;
      done += piece.length;
      progress(done, size);
    }
  };
  return makeInput(name, pieces, hints, { size, stream: pieces });
}
