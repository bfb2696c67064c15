import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '../base/errors.ts';
import type { ImportHints } from '../formats/input.ts';
import { ranksWords } from '../model/job/job-run.ts';
import type { Recording } from '../model/recording.ts';
import { isAgentFolder } from './agent-files.ts';
import { jobIn, openJob } from './jobs.ts';
import { locate, looksReadable } from './locate.ts';
import { openLocation } from './open.ts';
import { isPacked, isRecordingFolder, recordingsIn } from './recordings.ts';
import { runNames } from './run-names.ts';

export interface OpenedRuns {
  readonly runs: readonly { readonly name: string; readonly recording: Recording }[];
  /** What could not be opened, by the path that was given, and why. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** The job that all of them are the ranks of; absent where they are runs of their own. */
  readonly job?: Recording;
}

/** Opens recordings, logs and folders of either; one that cannot be read does not stop the rest. */
export async function openRuns(
  inputs: readonly string[],
  hints: ImportHints = {},
): Promise<OpenedRuns> {
  const job = inputs.length === 1 ? ranksOfJob(inputs[0]!) : null;
  if (job) return job;
  const opened: { path: string; recording: Recording }[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const path of await runPaths(inputs)) {
    try {
      opened.push({ path, recording: await openLocation(locate(path), hints) });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      skipped.push({ name: path, reason: error.message });
    }
  }
  const names = namesOf(opened);
  return { runs: opened.map(({ recording }, i) => ({ name: names[i]!, recording })), skipped };
}

/** One job alone: its ranks are the runs. */
function ranksOfJob(folder: string): OpenedRuns | null {
  try {
    if (!statSync(folder).isDirectory() || isRecordingFolder(folder) || isAgentFolder(folder)) {
      return null;
    }
    const found = jobIn(folder);
    if (!found?.ok) return null;
    const runs = found.parts.map((part) => ({ name: ranksWords(part), recording: part.recording }));
    return { runs, skipped: [], job: openJob(folder) };
  } catch {
    return null; // opening it will say what is wrong
  }
}

/** The runs that arguments name: a folder that is no recording stands for those in it. */
export async function runPaths(inputs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of inputs) found.push(...((await inFolder(path)) ?? [path]));
  return [...new Set(found)];
}

async function inFolder(path: string): Promise<string[] | null> {
  try {
    if (!statSync(path).isDirectory() || isRecordingFolder(path)) return null;
    if (isAgentFolder(path) || jobIn(path)?.ok) return null; // one job
    const files = readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(path, entry.name))
      .sort(byNumbers);
    const recordings = [...recordingsIn(path).sort(byNumbers), ...files.filter(isPacked)];
    if (recordings.length > 0) return recordings;
    const readable = await Promise.all(files.map(looksReadable));
    const logs = files.filter((_, i) => readable[i]);
    return logs.length > 0 ? logs : null;
  } catch {
    // Opening it will say what is wrong.
    return null;
  }
}

/** `batch=8` stands before `batch=16`. */
const byNumbers = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

/** What recordings are called: by their names, their files or, where those do not tell them apart, with their folders. */
export const namesOf = (opened: readonly { path: string; recording: Recording }[]): string[] =>
  runNames(
    opened,
    opened.map(({ path }) => join(basename(dirname(resolve(path))), basename(path))),
  );
