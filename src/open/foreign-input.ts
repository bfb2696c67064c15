import { type EventWatch, type ImportHints, type Input, makeInput } from '../formats/input.ts';
import { fileBytes } from '../model/disk/file-bytes.ts';
import { inflate, unpackedPieces } from './gzip.ts';
import { keptPieces } from './named-file.ts';

/** How many bytes of a file were read, and how many it has, where that is known. */
export type ReadProgress = (done: number, total: number | null) => void;

/** A file of another tool, as far as it was looked at. */
export interface ForeignFile {
  readonly path: string;
  /** For messages and as the recording's name. */
  readonly name: string;
  /** A gzip file. */
  readonly packed: boolean;
  /** Unpacked, where that is known. */
  readonly size: number | null;
  readonly hints: ImportHints;
}

/** The file for a format to read, which tells how far it is. */
export function foreignInput(
  { path, name, packed, size, hints }: ForeignFile,
  progress: ReadProgress,
  watch?: EventWatch,
): Input {
  return packed
    ? makeInput(name, () => [inflate(path)], hints, {
        size,
        stream: () => countedAsync(unpackedPieces(path), size, progress),
        watch,
      })
    : makeInput(name, () => counted(keptPieces(path), size, progress), hints, {
        size,
        stream: () => counted(fileBytes(path).stream(), size, progress),
        watch,
      });
}

/** The pieces as they are, each told of before it is handed on. */
function* counted(
  pieces: Iterable<Uint8Array>,
  total: number | null,
  progress: ReadProgress,
): Generator<Uint8Array> {
  let done = 0;
  for (const piece of pieces) {
    yield piece;
    done += piece.length;
    progress(done, total);
  }
}

/** The same for pieces that are waited for. */
async function* countedAsync(
  pieces: AsyncIterable<Uint8Array>,
  total: number | null,
  progress: ReadProgress,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const piece of pieces) {
    yield piece;
    done += piece.length;
    progress(done, total);
  }
}
