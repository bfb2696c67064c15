import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { orUserError } from '../model/disk/files.ts';
import { isAgentFolder } from '../open/agent-files.ts';
import { partPaths } from '../open/jobs.ts';
import { isRecordingFolder } from '../open/recordings.ts';

/** Folders of runs hold jobs and sweeps, which hold recordings. */
const DEPTH = 3;

/**
 * The recordings that arguments name, each once: a folder that is none stands for all in it, and a job for its ranks, as a
 * store puts them together itself. Nothing is opened.
 */
export function recordingPaths(inputs: readonly string[]): string[] {
  return [...new Set(inputs.flatMap((input) => expanded(input)))];
}

function expanded(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  if (isRecordingFolder(path) || isAgentFolder(path)) return [path];
  const found = orUserError(path, () => within(path, DEPTH));
  // Opening it says what is wrong.
  return found.length > 0 ? found : [path];
}

function within(folder: string, depth: number): string[] {
  const own = partPaths(folder);
  if (depth === 1) return own;
  const deeper = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(folder, name))
    .filter((path) => !own.includes(path));
  return [...own, ...deeper.flatMap((path) => within(path, depth - 1))];
}
