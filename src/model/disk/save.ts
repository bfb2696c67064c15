import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeError, errnoCode, UserError } from '../../base/errors.ts';
import { hideSecrets, redactArgv, withoutSecrets } from '../../base/secrets/index.ts';
import type { Recording } from '../recording.ts';
import type { RunInfo } from '../run.ts';
import type { Batch, Table } from '../table.ts';
import { replaceFile } from './files.ts';
import { OURS } from './recording-files.ts';
import { removeHeaps } from './remove-heaps.ts';
import { RecordingWriter } from './writer.ts';

/**
 * Makes the folder of a new recording. `force` takes the place of an older recording, of which only
 * its own files are removed: `-o ~ --force` must not cost anybody a home.
 */
export function createFolder(folder: string, force: boolean, exitCode = 2): void {
  try {
    makeFolders(folder);
    if (!force) return;
    const there = readdirSync(folder);
    if (there.length > 0 && !there.some((name) => OURS.test(name))) {
      throw new UserError(`${folder} is a folder of something else`, {
        hint: 'choose another place with -o',
        exitCode,
      });
    }
    for (const name of there.filter((file) => OURS.test(file))) rmSync(join(folder, name));
    removeHeaps(folder);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot write ${folder}: ${describeError(error)}`, {
      hint: 'choose another place with -o',
      exitCode,
      cause: error,
    });
  }
}

/** Step by step: Node's own recursive mkdir never returns where the kernel answers ENOENT (/proc). */
function makeFolders(folder: string): void {
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) makeFolders(parent);
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error;
  }
}

/** Refuses to touch what is already there. */
export function refuseExisting(path: string, exists: boolean, force: boolean, exitCode = 2): void {
  if (!exists || force) return;
  throw new UserError(`${path} exists already`, {
    hint: 'give another name, or replace it with --force',
    exitCode,
  });
}

/** A message is made in memory, and damage costs a whole one: an importer's table may be large. */
const PART_ROWS = 1 << 18;

function* parts({ rows, columns }: Batch): Generator<Batch> {
  for (let start = 0; start < rows; start += PART_ROWS) {
    const end = Math.min(rows, start + PART_ROWS);
    yield { rows: end - start, columns: columns.map((column) => column.slice(start, end)) };
  }
}

/** Writes a whole recording, as an importer made it, to a folder. */
export function saveRecording(recording: Recording, folder: string): void {
  const writer = new RecordingWriter(folder, Number.POSITIVE_INFINITY);
  try {
    for (const name of recording.tables) {
      const table = recording.table(name);
      const batches = name === 'strings' ? [cleanTexts(table)] : table.batches;
      for (const batch of batches) {
        for (const part of parts(batch)) writer.append(table.spec, part);
      }
    }
    writer.sync();
  } finally {
    writer.close();
  }
  // All tables were read by now: what is lost of them stays said.
  const { run, damage } = recording;
  writeRun(folder, { ...run, ...(damage.length > 0 && { damage: [...new Set(damage)] }) });
}

/** Another tool's file may hold secrets too. */
function cleanTexts(strings: Table): Batch {
  const texts = strings.utf8('value').map(withoutSecrets);
  return { rows: strings.rows, columns: [strings.u32('id'), texts] };
}

/** Whatever was said by whomever: no secret reaches the disk. */
export function writeRun(folder: string, run: RunInfo): void {
  const clean = hideSecrets({ ...run, argv: redactArgv(run.argv) });
  replaceFile(join(folder, 'run.json'), `${JSON.stringify(clean, null, 2)}\n`);
}
