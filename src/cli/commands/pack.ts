import { basename, dirname, join, resolve } from 'node:path';
import { formatBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { packFolder } from '../../model/disk/pack.ts';
import { newCommand, runCommand } from '../command.ts';
import { locate } from '../open.ts';

interface Options {
  out?: string;
  force?: boolean;
}

const EXAMPLE = 'highwater pack highwater-runs/train.hw -o train.hwz';

export async function run(argv: readonly string[]): Promise<number> {
  const command = newCommand('pack', 'Make one file of a recording, to share it.', EXAMPLE)
    .argument('[recording]', "a recording's folder (default: the newest)")
    .option('-o, --out <file>', 'where to (default: beside the recording, as NAME.hwz)')
    .option('--force', 'replace an existing file');
  command.action((path: string | undefined, options: Options) => {
    const place = locate(path);
    if (place.kind !== 'folder') {
      throw new UserError(`${place.path} is not the folder of a recording`, {
        hint: place.kind === 'packed' ? 'it is packed already' : 'import it first',
      });
    }
    const out = options.out ?? defaultName(place.path);
    const bytes = packFolder(place.path, out, options.force ?? false);
    process.stdout.write(`${out}\n`);
    process.stderr.write(`${formatBytes(bytes)}; to open it: highwater report ${out}\n`);
  });
  return runCommand(command, argv);
}

/** `.` and `runs/` must have a name too. */
function defaultName(folder: string): string {
  const name = basename(resolve(folder)).replace(/\.hw$/, '');
  return join(dirname(folder.replace(/\/+$/, '')), `${name}.hwz`);
}
