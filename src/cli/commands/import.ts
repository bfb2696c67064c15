import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { shellJoin } from '../../base/text.ts';
import { asUserError } from '../../model/disk/files.ts';
import { createFolder, refuseExisting, saveRecording } from '../../model/disk/save.ts';
import type { Recording } from '../../model/recording.ts';
import { newCommand, runCommand } from '../command.ts';
import { locate, openPlace } from '../open.ts';
import { RUNS_FOLDER } from '../recordings.ts';

interface Options {
  out?: string;
  name?: string;
  force?: boolean;
}

const EXAMPLE = 'highwater import mem_used.csv -o caffe.hw && highwater report caffe.hw';

export async function run(argv: readonly string[]): Promise<number> {
  const command = newCommand('import', 'Make a recording from a file of another tool.', EXAMPLE)
    .argument('<file>', 'a packed recording (.hwz) or a file of a known format; .gz is unpacked')
    .option('-o, --out <folder>', `where to (default: ./${RUNS_FOLDER}/<file>.hw)`)
    .option('--name <name>', "the recording's name (default: the file's)")
    .option('--force', 'replace an existing recording');
  command.action(async (file: string, options: Options) => {
    const place = locate(file);
    if (place.kind === 'folder') {
      throw new UserError(`${place.path} is a recording already`, {
        hint: `highwater report ${place.path}`,
      });
    }
    const stem = basename(file).replace(/(\.\w{1,7})?(\.gz)?$/i, '') || basename(file);
    const out = options.out ?? join(RUNS_FOLDER, `${stem}.hw`);
    refuseExisting(out, existsSync(out), options.force ?? false);
    const recording = await openPlace(place);
    for (const name of recording.tables) recording.table(name);
    const warnings = [...recording.run.warnings, ...recording.damage];
    const name = options.name ?? (place.kind === 'file' ? stem : recording.run.name);
    saveAs(
      { ...recording, run: { ...recording.run, name, warnings } },
      out,
      options.force ?? false,
    );
    for (const warning of warnings) process.stderr.write(`highwater: ${warning}\n`);
    process.stdout.write(`${out}\n`);
    process.stderr.write(`next: ${shellJoin(['highwater', 'report', out])}\n`);
  });
  return runCommand(command, argv);
}

/** Under another name until it is whole, so that a failure does not cost the recording it replaces. */
function saveAs(recording: Recording, out: string, force: boolean): void {
  const part = `${out}.part-${process.pid}`;
  try {
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part, { recursive: true });
    saveRecording(recording, part);
    createFolder(out, force);
    for (const name of readdirSync(part)) renameSync(join(part, name), join(out, name));
  } catch (error) {
    throw asUserError(out, error, 'write');
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}
