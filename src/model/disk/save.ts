import { mkdirSync, rmSync } from 'node:fs';
import { describeError, UserError } from '../../base/errors.ts';
import type { Recording } from '../recording.ts';
import { writeRun } from './run-file.ts';
import { RecordingWriter } from './writer.ts';

/** Makes the folder of a new recording; an existing one is only replaced when told to. */
export function createFolder(folder: string, force: boolean, exitCode = 2): void {
  try {
    if (force) rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new UserError(`cannot write ${folder}: ${describeError(error)}`, {
      hint: 'choose another place with -o',
      exitCode,
      cause: error,
    });
  }
}

/** Refuses to touch what is already there. */
export function refuseExisting(path: string, exists: boolean, force: boolean, exitCode = 2): void {
  if (!exists || force) return;
  throw new UserError(`${path} exists already`, {
    hint: 'give another name with -o, or replace it with --force',
    exitCode,
  });
}

/** Writes a whole recording, as an importer made it, to a folder. */
export function saveRecording(recording: Recording, folder: string): void {
  const writer = new RecordingWriter(folder, Number.POSITIVE_INFINITY);
  try {
    for (const name of recording.tables) {
      const table = recording.table(name);
      for (const batch of table.batches) writer.append(table.spec, batch);
    }
    writer.sync();
  } finally {
    writer.close();
  }
  writeRun(folder, recording.run);
}
