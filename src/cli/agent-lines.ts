import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UserError } from '../base/errors.ts';
import { makeInput } from '../formats/input.ts';
import { orUserError } from '../model/disk/files.ts';
import type { Recording } from '../model/recording.ts';
import { isAgentLines, readJob } from '../sources/agent/job.ts';

/** What agents left behind that had no recorder (`HIGHWATER_OUT`): one file for each process. */
const ENDING = '.ndjson';
const HEAD = 64;
const PIECE_BYTES = 1 << 20;

/** Whether a file has the lines of an agent. */
export function isAgentFile(path: string): boolean {
  if (!path.endsWith(ENDING)) return false;
  for (const piece of pieces(path, HEAD)) return isAgentLines(new TextDecoder().decode(piece));
  return false;
}

/** Whether a folder is what the processes of one job wrote. */
export function isAgentFolder(folder: string): boolean {
  try {
    return filesIn(folder).some(isAgentFile);
  } catch {
    return false;
  }
}

/** One file, or all of a folder, as one recording. */
export function openAgentLines(path: string): Recording {
  const folder = statSync(path).isDirectory();
  const files = folder ? filesIn(path).filter(isAgentFile) : [path];
  const named = files.map((file) => {
    const name = basename(file);
    return { name, lines: makeInput(name, () => pieces(file)).lines() };
  });
  if (named.length === 0) throw new UserError(`${path} has no lines of an agent`);
  return readJob(basename(resolve(path)).replace(/\.ndjson$/, ''), named);
}

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .sort()
    .map((name) => join(folder, name));

function* pieces(path: string, bytes = PIECE_BYTES): Generator<Uint8Array> {
  const fd = orUserError(path, () => openSync(path, 'r'));
  try {
    for (;;) {
      const piece = new Uint8Array(bytes);
      const got = orUserError(path, () => readSync(fd, piece));
      if (got === 0) return;
      yield piece.subarray(0, got);
    }
  } finally {
    closeSync(fd);
  }
}
