import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileTimestamp } from '../../base/time.ts';
import { createFolder, refuseExisting } from '../../model/disk/save.ts';
import type { Launch } from '../../sources/process-tree/launch.ts';

/** `record` answers 125 to its own failures, as the command's exit code passes through. */
const OWN_FAILURE = 125;

/** A name that no other run on any machine has. */
export function automaticName(name: string): string {
  const machine = hostname().split('.')[0]!;
  return `${name}-${fileTimestamp(new Date())}-${machine}-${process.pid}.hw`;
}

/**
 * Makes the folder of a new recording: the one asked for, or one whose name cannot clash. A recorder that
 * was started with others, one for each rank or node, makes its own in the folder that all were told.
 */
export function makeOutputFolder(
  out: string | null,
  name: string,
  force: boolean,
  launch: Launch | null = null,
): string {
  const folder = launch
    ? folderOfRank(out ?? join('highwater-runs', jobName(name, launch)), launch)
    : (out ?? join('highwater-runs', automaticName(name)));
  refuseExisting(folder, existsSync(folder), force, OWN_FAILURE);
  createFolder(folder, force, OWN_FAILURE);
  return folder;
}

/** Where else a recording may go, in turn: beside one that is there already, the home, a folder of its own among temporary ones. */
export function* otherPlaces(out: string | null, name: string): Generator<string> {
  const own = automaticName(name);
  if (out !== null && existsSync(out)) yield `${out.replace(/\.hw$/, '')}-${own}`;
  if (existsSync(homedir())) yield join(homedir(), 'highwater-runs', own);
  // Made by a call that takes none that is there: others may write to this folder too.
  if (existsSync(tmpdir())) yield join(mkdtempSync(join(tmpdir(), 'highwater-')), own);
}

/** A folder that was made for a recording which could not be written. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty, or was never made.
  }
}

/** The same for all ranks of a job, and for no other job. */
function jobName(name: string, { job }: Launch): string {
  const id = job?.replace(/[^\w.-]+/g, '_').slice(0, 60);
  return id ? `${name}-job-${id}` : `${name}-job`;
}

/** `{rank}` and `{host}` are filled in where the user wrote them. */
function folderOfRank(out: string, { rank, size, restart }: Launch): string {
  const number = String(rank).padStart(Math.max(4, String(size).length), '0');
  const machine = hostname().split('.')[0]!;
  if (/\{rank\}/.test(out)) {
    return out.replaceAll('{rank}', number).replaceAll('{host}', machine);
  }
  const again = restart ? `-restart${restart}` : '';
  return join(out, `${number}-${machine}${again}.hw`);
}
