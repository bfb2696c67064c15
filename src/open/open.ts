import { basename } from 'node:path';
import { UserError } from '../base/errors.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import { type ImportHints, makeInput } from '../formats/input.ts';
import { fileBytes } from '../model/disk/file-bytes.ts';
import { folderFiles, orUserError } from '../model/disk/files.ts';
import { looksPacked, packedFiles } from '../model/disk/pack.ts';
import { openRecording } from '../model/disk/reader.ts';
import type { Recording } from '../model/recording.ts';
import { isAgentFile, isAgentFolder, openAgentFiles } from './agent-files.ts';
import { inflate, isGzip, unpackedHead, unpackedPieces, unpackedSize } from './gzip.ts';
import { jobIn, openJob, partPaths } from './jobs.ts';
import { headOf, keptPieces, statOf } from './named-file.ts';
import { counted, countedAsync, type ReadProgress } from './read-progress.ts';
import { findNewest, isRecordingFolder, RUNS_FOLDER } from './recordings.ts';

/** What a user's argument turned out to be. */
export interface Place {
  readonly path: string;
  readonly kind: 'folder' | 'packed' | 'agents' | 'job' | 'file';
}

/** Opens a recording, a packed one, a folder with one, or any file that a format recognises. */
export async function openInput(
  path: string | undefined,
  hints: ImportHints = {},
): Promise<Recording> {
  return openPlace(locate(path), hints);
}

/** What the argument names; without one, the newest recording in ./highwater-runs. */
export function locate(path: string | undefined): Place {
  if (path === undefined) {
    const newest = findNewest(RUNS_FOLDER);
    if (newest) return locate(newest);
    throw new UserError(`there is no recording in ./${RUNS_FOLDER}`, {
      hint: 'make one: highwater record -- <command>',
    });
  }
  const stat = statOf(path);
  if (stat.isDirectory()) {
    if (isRecordingFolder(path)) return { path, kind: 'folder' };
    return isAgentFolder(path) ? { path, kind: 'agents' } : onlyOne(path);
  }
  if (!stat.isFile()) {
    throw new UserError(`${path} is neither a file nor a folder`, {
      hint: 'save what it gives to a file first',
    });
  }
  if (stat.size === 0)
    throw new UserError(`${path} is empty`, { hint: 'was it written to its end?' });
  if (isAgentFile(path)) return { path, kind: 'agents' };
  return { path, kind: looksPacked(headOf(path)) ? 'packed' : 'file' };
}

/** `hints` tell what a foreign file may not say itself. */
export async function openPlace(
  { path, kind }: Place,
  hints: ImportHints = {},
  progress: ReadProgress = () => {},
): Promise<Recording> {
  if (hints.events && kind !== 'file') throw noEvents(path);
  if (kind === 'folder') return openRecording(folderFiles(path));
  if (kind === 'packed') return openRecording(packedFiles(path));
  if (kind === 'agents') return openAgentFiles(path);
  if (kind === 'job') return openJob(path);
  return openForeign(path, hints, progress);
}

function noEvents(path: string): UserError {
  return new UserError(`--events is for memory snapshots, which ${path} is not`, {
    hint: 'leave --events out',
  });
}

function onlyOne(folder: string): Place {
  const found = orUserError(folder, () => partPaths(folder));
  if (found.length === 1) return locate(found[0]!);
  if (found.length === 0) {
    throw new UserError(`${folder} is no recording, and has none in it`, {
      hint: 'make one: highwater record -- <command>',
    });
  }
  const job = orUserError(folder, () => jobIn(folder));
  if (job?.ok) return { path: folder, kind: 'job' };
  const shown = found.slice(0, 5).map((path) => basename(path));
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  throw new UserError(`${folder} holds ${found.length} recordings: ${shown.join(', ')}${more}`, {
    hint: `name one of them; they are not ranks of one job${job ? ` (${job.reason})` : ''}`,
  });
}

/** Whether a file is a packed recording or, by its content, of a format that can be read. */
export async function looksReadable(path: string): Promise<boolean> {
  const head = headOf(path);
  const { FORMATS } = await import('../formats/index.ts');
  return (
    looksPacked(head) ||
    isAgentFile(path) ||
    FORMATS.some((format) => format.read && format.sniff(head))
  );
}

async function openForeign(
  path: string,
  hints: ImportHints,
  progress: ReadProgress,
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
  if (hints.events && !format.takesEvents) throw noEvents(path);
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
