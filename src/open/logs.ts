import { readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describeError, UserError } from '../base/errors.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import { makeInput } from '../formats/input.ts';
import { mxnetCsv } from '../formats/mxnet/csv.ts';
import { mxnetLog } from '../formats/mxnet/log.ts';
import { orUserError } from '../model/disk/files.ts';
import type { Recording } from '../model/recording.ts';
import { readForeign } from './foreign-file.ts';
import { statOf } from './named-file.ts';
import { openInput } from './open.ts';
import { isPacked, isRecordingFolder } from './recordings.ts';

/** A file that may be a log, and whether the user named it or only its folder. */
export interface LogPath {
  readonly path: string;
  readonly named: boolean;
}

/** The files themselves, and all files right in the folders, by name. */
export function logPaths(paths: readonly string[]): LogPath[] {
  const found = paths.flatMap((path) => {
    if (!statOf(path).isDirectory() || isRecordingFolder(path)) return [{ path, named: true }];
    const entries = orUserError(path, () => readdirSync(path, { withFileTypes: true }));
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => ({ path: join(path, entry.name), named: false }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  });
  const places = found.map(({ path }) => resolve(path));
  return found.filter((_, i) => places.indexOf(places[i]!) === i);
}

/** A tagged log, however far down its first tagged line is; or a recording that was made of one. */
export async function openLog(path: string): Promise<Recording> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() || isPacked(path)) {
    const recording = await openInput(path);
    if (recording.table('tags').rows > 0) return recording;
    throw new UserError(`${path} has no tagged allocations`);
  }
  const pieces = () => readForeign(path).pieces;
  const head = firstOf(pieces())?.subarray(0, HEAD_BYTES) ?? new Uint8Array();
  const format = mxnetCsv.sniff(head) ? mxnetCsv : mxnetLog;
  return format.read!(makeInput(basename(path), pieces));
}

function firstOf<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}

/** Why a file of a folder is passed over, in a few words. */
export function whyNot(error: unknown): string {
  if (error instanceof UserError && /no line that tells of an allocation/.test(error.message)) {
    return 'no allocation lines';
  }
  return describeError(error);
}
