import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileTimestamp } from '../base/time.ts';
import { createFolder, refuseExisting } from '../model/disk/save.ts';

/** `record` answers 125 to its own failures, as the command's exit code passes through. */
const OWN_FAILURE = 125;

/** A name that no other run on any machine has. */
export function automaticName(name: string): string {
  const machine = hostname().split('.')[0]!;
  return `${name}-${fileTimestamp(new Date())}-${machine}-${process.pid}.hw`;
}

/** Makes the folder of a new recording: the one asked for, or one whose name cannot clash. */
export function makeOutputFolder(out: string | null, name: string, force: boolean): string {
  const folder = out ?? join('highwater-runs', automaticName(name));
  refuseExisting(folder, existsSync(folder), force, OWN_FAILURE);
  createFolder(folder, force, OWN_FAILURE);
  return folder;
}
