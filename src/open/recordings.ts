import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { folderFiles } from '../model/disk/files.ts';
import { TABLE_NAMES } from '../model/recording.ts';

/** Where `record` and `import` put recordings when they are not told. */
export const RUNS_FOLDER = 'highwater-runs';

const SIGNS: ReadonlySet<string> = new Set([
  'run.json',
  ...TABLE_NAMES.map((name) => `${name}.arrow`),
]);

/** Whether a folder is a recording: one that lost its run.json still has tables. */
export function isRecordingFolder(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => SIGNS.has(name));
  } catch {
    return false;
  }
}

/** By its name alone; `looksPacked` looks at what is in it. */
export const isPacked = (path: string): boolean => /\.hwz$/i.test(path);

/** The recordings directly inside a folder, by name. */
export function recordingsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => join(folder, entry.name))
    .filter(isRecordingFolder)
    .sort();
}

/** As `record` names the folder of a job of which it records one rank. */
const JOB_NAME = /-job(-[\w.-]+)?$/;

/** A recording or a job, and when it started and was last changed, in milliseconds since 1970. */
export interface FoundRun {
  readonly path: string;
  readonly started: number;
  readonly changed: number;
}

/** The recording, or the job, in some folders that started last; null when there is none that can be read. */
export function findNewest(...folders: string[]): string | null {
  return findRuns(...folders)[0]?.path ?? null;
}

/** All of them, the newest first; a job by its newest part. */
export function findRuns(...folders: string[]): FoundRun[] {
  const found = new Map<string, FoundRun>();
  for (const folder of folders) {
    for (const [path, recording] of [...existing(folder), ...jobsIn(folder)]) {
      const when = times(recording);
      const known = found.get(path);
      if (when && (!known || isLater(when, known))) found.set(path, { path, ...when });
    }
  }
  return [...found.values()].sort((a, b) => (isLater(a, b) ? -1 : isLater(b, a) ? 1 : 0));
}

const isLater = (a: Omit<FoundRun, 'path'>, b: Omit<FoundRun, 'path'>) =>
  a.started > b.started || (a.started === b.started && a.changed > b.changed);

/** Pairs of what to open, and the recording that tells when it was made. */
function existing(folder: string): [string, string][] {
  try {
    return recordingsIn(folder).map((path) => [path, path]);
  } catch {
    return [];
  }
}

/** Folders of recordings that were made rank by rank: to be opened as a whole. */
function jobsIn(folder: string): [string, string][] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && JOB_NAME.test(entry.name))
      .map(({ name }) => join(folder, name))
      .filter((path) => !isRecordingFolder(path))
      .flatMap((path) => existing(path).map(([, part]): [string, string] => [path, part]));
  } catch {
    return [];
  }
}

function times(path: string): { started: number; changed: number } | null {
  try {
    const runFile = join(path, 'run.json');
    const bytes = folderFiles(path).read('run.json') ?? new Uint8Array();
    const run: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof run !== 'object' || run === null || !('startedAt' in run)) return null;
    const started = Date.parse(String(run.startedAt));
    return Number.isNaN(started) ? null : { started, changed: lstatSync(runFile).mtimeMs };
  } catch {
    return null;
  }
}
