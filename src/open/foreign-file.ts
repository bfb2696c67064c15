import { basename } from 'node:path';
import { MiB } from '../base/bytes.ts';
import { UserError } from '../base/errors.ts';
import { isGzip } from '../base/gzip.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import type { ImportHints } from '../formats/input.ts';
import type { Recording } from '../model/recording.ts';
import { foreignInput, type ReadProgress } from './foreign-input.ts';
import { inflate, unpackedHead, unpackedSize } from './gzip.ts';
import { headOf, keptPieces, statOf } from './named-file.ts';

/** What is smaller is read before a thread has started. */
const WORTH_A_THREAD = 64 * MiB;

/**
 * A file of another tool, by the format that recognises it; `hints` tell what it may not say itself. `beside`: this thread has
 * nothing else to do meanwhile, and a large trace may be read on another.
 */
export async function openForeign(
  path: string,
  hints: ImportHints = {},
  progress: ReadProgress = () => {},
  beside = false,
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
  const size = packed ? unpackedSize(path, stat.size) : stat.size;
  const all = { modified: stat.mtimeMs / 1000, ...hints };
  const file = { path, name, packed, size, hints: all };
  if (beside && format.id === 'torch-snapshot' && (size ?? 0) >= WORTH_A_THREAD) {
    const { readBeside } = await import('./read-beside.ts');
    const recording = await readBeside(file, progress);
    if (recording) return recording;
  }
  return format.read(foreignInput(file, progress));
}

/** Whether a format knows a file by its beginning, whatever it is called. */
export async function isKnownFormat(path: string): Promise<boolean> {
  const { FORMATS } = await import('../formats/index.ts');
  const head = isGzip(headOf(path)) ? unpackedHead(path, HEAD_BYTES) : headOf(path);
  return FORMATS.some((format) => format.read && format.sniff(head));
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
