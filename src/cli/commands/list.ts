import { lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { listedRun } from '../../analyses/listed-run.ts';
import { describeError, UserError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { openInput } from '../../open/open.ts';
import { findRuns } from '../../open/recordings.ts';
import { runPlaces } from '../../open/run-places.ts';
import { resultJson } from '../../views/json.ts';
import { type ListEntry, runListText } from '../../views/run-list.ts';
import type { ListOutput } from '../output/json-outputs.ts';
import { show, tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

/** Each is opened for its peak, which takes a moment. */
const USUAL = 20;

/** Temporary folders may be many. */
const NAMED_PLACES = 3;

const EXAMPLE = `highwater list
highwater list --all --json
highwater list /data/runs             # another folder of recordings`;

/** The recordings that are there. */
export function command(): Command {
  return newCommand('list', 'the recordings here, in the home and in temporary folders', EXAMPLE)
    .argument('[folders...]', 'where to look instead of where record leaves them')
    .option('--all', `all of them, not the newest ${USUAL}`)
    .option('--json', 'for programs');
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, list);
}

async function list(folders: string[], options: { all?: true; json?: true }): Promise<void> {
  const places = folders.length > 0 ? folders : runPlaces();
  for (const folder of folders) {
    if (lstatSync(folder, { throwIfNoEntry: false })?.isFile() ?? true)
      throw new UserError(`${folder} is no folder`, { hint: 'name one that holds recordings' });
  }
  const found = findRuns(...places);
  const shown = options.all ? found : found.slice(0, USUAL);
  const entries: ListEntry[] = [];
  for (const { path } of shown) entries.push(await entryOf(path));
  if (options.json) {
    const result: ListOutput = {
      type: 'list',
      schemaVersion: 1,
      places: places.map((place) => resolve(place)),
      found: found.length,
      recordings: entries,
    };
    show(resultJson(result));
    return;
  }
  if (entries.length === 0) {
    const named = places.slice(0, NAMED_PLACES);
    const more = places.length - named.length;
    const where = [...named, ...(more > 0 ? [count(more, 'more folder')] : [])].join(', ');
    tell(`no recordings in ${where}; to make one: highwater record -- <command>\n`);
    return;
  }
  show(runListText(entries));
  const left = found.length - shown.length;
  if (left > 0) tell(`and ${count(left, 'older one')}: highwater list --all\n`);
}

async function entryOf(path: string): Promise<ListEntry> {
  const bytes = sizeOf(path);
  try {
    return { path, bytes, run: listedRun(await openInput(path)), error: null };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { path, bytes, run: null, error: describeError(error) };
  }
}

/** What it takes on the disk, heaps and all; links are not followed. */
function sizeOf(path: string): number {
  try {
    const stat = lstatSync(path);
    if (!stat.isDirectory()) return stat.size;
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
  } catch {
    return 0; // it went meanwhile
  }
}
