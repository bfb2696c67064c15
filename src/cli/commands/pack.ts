import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { Redactor } from '../../base/redaction/index.ts';
import { count } from '../../base/text.ts';
import { packedFiles, packFolder } from '../../model/disk/pack.ts';
import { HEAP_FILE } from '../../model/disk/recording-files.ts';
import { refuseExisting } from '../../model/disk/save.ts';
import { locate } from '../../open/locate.ts';
import { orNewest } from '../output/newest.ts';
import { ownHosts, ownUsers, withRedactedCopy } from '../output/redacted-copy.ts';
import { show, tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

interface Options {
  out?: string;
  redact?: true;
  force?: boolean;
  /** Undefined: if they are small. */
  heaps?: boolean;
}

/** Heaps up to this size go along unasked. */
const SMALL_HEAPS = 64 * 2 ** 20;

const EXAMPLE = `highwater pack highwater-runs/train.hw -o train.hwz
highwater pack --redact     # the newest, without paths, names and texts of you and your program`;

export function command(): Command {
  return newCommand('pack', 'Make one file of a recording, to share it.', EXAMPLE)
    .argument(
      '[recording]',
      "a recording's folder (default: the newest); with --redact also a packed one",
    )
    .option('-o, --out <file>', 'where to (default: beside the recording, as NAME.hwz)')
    .option('--redact', 'without paths, names and texts, also in snapshots and heaps; figures stay')
    .option('--heaps', `with the heaps of record --heap, also above ${formatBytes(SMALL_HEAPS)}`)
    .option('--no-heaps', 'without them; they hold texts of the program')
    .option('--force', 'replace an existing file');
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, pack);
}

async function pack(path: string | undefined, options: Options): Promise<void> {
  const place = locate(orNewest(path));
  const isPacked = place.kind === 'packed';
  if (place.kind !== 'folder' && !(isPacked && options.redact)) {
    throw new UserError(`${place.path} is not the folder of a recording`, {
      hint: isPacked ? 'it is packed already' : 'import it first',
    });
  }
  if (options.out === '-') {
    throw new UserError('a pack is not written to standard output', {
      hint: 'name a file with -o',
    });
  }
  const out = options.out ?? defaultName(place.path, options.redact);
  const force = options.force ?? false;
  refuseExisting(out, existsSync(out), force);
  const heaps = isPacked
    ? heapsOfPack(place.path, options.heaps)
    : await heapsOf(place.path, options.heaps, options.redact);
  const packed = (folder: string, going = heaps) => packFolder(folder, out, force, going);
  const bytes = options.redact
    ? await withRedactedCopy(place.path, out, heaps, (copy) =>
        packed(
          copy,
          heaps.filter((name) => existsSync(join(copy, name))),
        ),
      )
    : packed(place.path);
  show(`${out}\n`);
  tell(`${formatBytes(bytes)}; to open it: highwater report ${out}\n`);
}

/** Whoever packed them wanted them in it. */
const heapsOfPack = (file: string, wanted = true): string[] =>
  wanted
    ? packedFiles(file)
        .list()
        .filter((name) => HEAP_FILE.test(name))
    : [];

/** Names of those that go along; what is done with them is said. */
async function heapsOf(
  folder: string,
  wanted: boolean | undefined,
  redact = false,
): Promise<string[]> {
  const { heapFilesIn } = await import('../../open/heaps.ts');
  const files = heapFilesIn(join(folder, 'heap')).filter((file) =>
    HEAP_FILE.test(relative(folder, file)),
  );
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  if (files.length === 0 || wanted === false) return [];
  const what = `${count(files.length, 'heap')} of ${formatBytes(size)}`;
  const takes = wanted ?? size <= SMALL_HEAPS;
  const said = takes
    ? `with ${what}, ${redact ? 'without names and texts' : 'which hold texts of the program'} (--no-heaps leaves them out)`
    : `${what} left out (--heaps takes them along)`;
  tell(`highwater: ${said}\n`);
  return takes ? files.map((file) => relative(folder, file)) : [];
}

/** `.` and `runs/` must have a name too; a recording's own has the machine's in it. */
function defaultName(folder: string, redact = false): string {
  const name = basename(resolve(folder)).replace(/\.hwz?$/, '');
  const shown = redact ? new Redactor(ownUsers(), ownHosts()).words(name) : name;
  return join(dirname(folder.replace(/\/+$/, '')), `${shown}.hwz`);
}
