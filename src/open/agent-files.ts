import { readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UserError } from '../base/errors.ts';
import { headText, makeInput } from '../formats/input.ts';
import { fileBytes } from '../model/disk/file-bytes.ts';
import type { Recording } from '../model/recording.ts';
import { isAgentLines, readAgentLines } from '../sources/agent/agent-lines.ts';

/** What agents left behind that had no recorder (`HIGHWATER_OUT`): one file for each process. */
const ENDING = '.ndjson';
const HEAD = 64;

/** Whether a file has the lines of an agent. */
export function isAgentFile(path: string): boolean {
  return path.endsWith(ENDING) && isAgentLines(headText(fileBytes(path).readAt(0, HEAD)));
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
export function openAgentFiles(path: string): Recording {
  const folder = statSync(path).isDirectory();
  const files = folder ? filesIn(path).filter(isAgentFile) : [path];
  const named = files.map((file) => {
    const name = basename(file);
    return { name, lines: makeInput(name, () => fileBytes(file).stream()).lines() };
  });
  if (named.length === 0) throw new UserError(`${path} has no lines of an agent`);
  return readAgentLines(basename(resolve(path)).replace(/\.ndjson$/, ''), named);
}

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .sort()
    .map((name) => join(folder, name));
