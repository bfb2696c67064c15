import { basename } from 'node:path';
import { UserError } from '../base/errors.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import { type ImportHints, makeInput } from '../formats/input.ts';
import { fileBytes } from '../model/disk/file-bytes.ts';
import type { Recording } from '../model/recording.ts';
import { inflate, isGzip, unpackedHead, unpackedPieces, unpackedSize } from './gzip.ts';
import { headOf, keptPieces, statOf } from './named-file.ts';

/** How many bytes of a file were read, and how many it has, where that is known. */
export type ReadProgress = (done: number, total: number | null) => void;

/** A file of another tool, by the format that recognises it; `hints` tell what it may not say itself. */
export async function openForeign(
  path: string,
  hints: ImportHints = {},
  progress: ReadProgress = () => {},
): Promise<Recording> {
  const { detect, FORMATS } = await import('../formats/index.ts');
  const packed = isGzip(headOf(path));
  const name = packed ? basename(path).replace(/\.gz$/i, '') : basename(path);
  const format = detect(packed ? unpackedHead(path, HEAD_BYTES) : headOf(path), name);
  if (!format?.read) {
    const known = FORMATS.filter((other) => other.read).map((other) => other.id);
    throw new UserError(`${path} is of no format that Highwater knows`, {
      hint: `it reads recordings (.hw, .hwz) and ${known.join(', ')}`,
    });
  }
  if (hints.events && !format.takesEvents) throw noSuchEvents(path);
  const stat = statOf(path);
  const all = { modified: stat.mtimeMs / 1000, ...hints };
  const size = packed ? unpackedSize(path, stat.size) : stat.size;
  const input = packed
    ? makeInput(name, () => [inflate(path)], all, {
        size,
        stream: () => countedAsync(unpackedPieces(path), size, progress),
      })
    : makeInput(name, () => counted(keptPieces(path), size, progress), all, {
        size,
        stream: () => counted(fileBytes(path).stream(), size, progress),
      });
  return format.read(input);
}

/** Whether a format knows a file by its beginning, whatever it is called. */
export async function isKnownFormat(path: string): Promise<boolean> {
  const { FORMATS } = await import('../formats/index.ts');
  const head = isGzip(headOf(path)) ? unpackedHead(path, HEAD_BYTES) : headOf(path);
  return FORMATS.some((format) => format.read && format.sniff(head));
}

/** A file of another tool that is in memory already. */
export async function openForeignBytes(name: string, bytes: Uint8Array): Promise<Recording> {
  const { detect } = await import('../formats/index.ts');
  const format = detect(bytes.subarray(0, HEAD_BYTES), name);
  if (!format?.read) throw new UserError(`${name} is of no format that Highwater knows`);
  const stream = async function* () {
    yield bytes;
  };
  return format.read(makeInput(name, () => [bytes], {}, { size: bytes.length, stream }));
}

/** The bytes of a file, unpacked where it is a gzip file, and when it was last changed. */
export function readForeign(path: string): { pieces: Iterable<Uint8Array>; modified: number } {
  const stat = statOf(path);
  if (!stat.isFile()) throw new UserError(`${path} is not a file`);
  const packed = isGzip(headOf(path)) ? inflate(path) : null;
  return { pieces: packed ? [packed] : keptPieces(path), modified: stat.mtimeMs / 1000 };
}

/** Only of a trace a part can be asked for. */
export function noSuchEvents(path: string): UserError {
  return new UserError(`--events is for memory snapshots, which ${path} is not`, {
    hint: 'leave --events out',
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
