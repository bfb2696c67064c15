import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { formatBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { packFolder } from '../../model/disk/pack.ts';
import { refuseExisting } from '../../model/disk/save.ts';
import { newCommand, runCommand } from '../command.ts';
import { locate } from '../open.ts';

interface Options {
  out?: string;
  redact?: true;
  force?: boolean;
}

const EXAMPLE = `highwater pack highwater-runs/train.hw -o train.hwz
highwater pack --redact     # the newest, without paths, user and host names`;

export async function run(argv: readonly string[]): Promise<number> {
  const command = newCommand('pack', 'Make one file of a recording, to share it.', EXAMPLE)
    .argument('[recording]', "a recording's folder (default: the newest)")
    .option('-o, --out <file>', 'where to (default: beside the recording, as NAME.hwz)')
    .option('--redact', 'without paths, user and host names, and without snapshots and heaps')
    .option('--force', 'replace an existing file');
  command.action(async (path: string | undefined, options: Options) => {
    const place = locate(path);
    if (place.kind !== 'folder') {
      throw new UserError(`${place.path} is not the folder of a recording`, {
        hint: place.kind === 'packed' ? 'it is packed already' : 'import it first',
      });
    }
    const out = options.out ?? defaultName(place.path);
    const force = options.force ?? false;
    refuseExisting(out, existsSync(out), force);
    const pack = (folder: string) => packFolder(folder, out, force);
    const bytes = options.redact ? await redacted(place.path, out, pack) : pack(place.path);
    process.stdout.write(`${out}\n`);
    process.stderr.write(`${formatBytes(bytes)}; to open it: highwater report ${out}\n`);
  });
  return runCommand(command, argv);
}

async function redacted(folder: string, out: string, pack: (folder: string) => number) {
  const { withRedacted } = await import('../redacted-folder.ts');
  return withRedacted(folder, out, pack);
}

/** `.` and `runs/` must have a name too. */
function defaultName(folder: string): string {
  const name = basename(resolve(folder)).replace(/\.hw$/, '');
  return join(dirname(folder.replace(/\/+$/, '')), `${name}.hwz`);
}
