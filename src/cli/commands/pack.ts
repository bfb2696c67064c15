import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { Redactor } from '../../base/redaction.ts';
import { count } from '../../base/text.ts';
import { folderFiles, HEAP_FILE, orUserError } from '../../model/disk/files.ts';
import { packFolder } from '../../model/disk/pack.ts';
import { openRecording } from '../../model/disk/reader.ts';
import { refuseExisting, saveRecording } from '../../model/disk/save.ts';
import { redactRecording } from '../../model/redacted.ts';
import { locate } from '../../open/locate.ts';
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
highwater pack --redact     # the newest, without paths, user and host names, and without heaps`;

export function command(): Command {
  return newCommand('pack', 'Make one file of a recording, to share it.', EXAMPLE)
    .argument('[recording]', "a recording's folder (default: the newest)")
    .option('-o, --out <file>', 'where to (default: beside the recording, as NAME.hwz)')
    .option('--redact', 'without paths, user and host names, and without snapshots and heaps')
    .option('--heaps', `with the heaps of record --heap, also above ${formatBytes(SMALL_HEAPS)}`)
    .option('--no-heaps', 'without them; they hold texts of the program')
    .option('--force', 'replace an existing file');
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, pack);
}

async function pack(path: string | undefined, options: Options): Promise<void> {
  const place = locate(path);
  if (place.kind !== 'folder') {
    throw new UserError(`${place.path} is not the folder of a recording`, {
      hint: place.kind === 'packed' ? 'it is packed already' : 'import it first',
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
  if (options.redact && options.heaps) {
    throw new UserError('--redact leaves heaps out, as their texts cannot be redacted');
  }
  const heaps = options.redact ? [] : await heapsOf(place.path, options.heaps);
  const packed = (folder: string) => packFolder(folder, out, force, heaps);
  const bytes = options.redact ? withRedacted(place.path, out, packed) : packed(place.path);
  show(`${out}\n`);
  tell(`${formatBytes(bytes)}; to open it: highwater report ${out}\n`);
}

/** Names of those that go along; what is done with them is said. */
async function heapsOf(folder: string, wanted: boolean | undefined): Promise<string[]> {
  const { heapFilesIn } = await import('../../open/heaps.ts');
  const files = heapFilesIn(join(folder, 'heap')).filter((file) =>
    HEAP_FILE.test(relative(folder, file)),
  );
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  if (files.length === 0 || wanted === false) return [];
  const what = `${count(files.length, 'heap')} of ${formatBytes(size)}`;
  const takes = wanted ?? size <= SMALL_HEAPS;
  const said = takes
    ? `with ${what}, which hold texts of the program (--no-heaps leaves them out)`
    : `${what} left out (--heaps takes them along)`;
  tell(`highwater: ${said}\n`);
  return takes ? files.map((file) => relative(folder, file)) : [];
}

/** `.` and `runs/` must have a name too; a recording's own has the machine's in it. */
function defaultName(folder: string, redact = false): string {
  const name = basename(resolve(folder)).replace(/\.hw$/, '');
  const shown = redact ? new Redactor(users(), ownHosts()).names(name) : name;
  return join(dirname(folder.replace(/\/+$/, '')), `${shown}.hwz`);
}

const ownHosts = () => [hostname(), hostname().split('.')[0]!];

/** Does something with a redacted copy of a recording, which is gone afterwards; `beside`: where there is room. */
function withRedacted<T>(folder: string, beside: string, work: (copy: string) => T): T {
  const whole = openRecording(folderFiles(folder));
  const recording = redactRecording(whole, users(), [hostname()]);
  const { snapshots = [], heaps = [] } = whole.run;
  const left = [count(snapshots.length, 'memory snapshot'), count(heaps.length, 'heap')];
  const what = left.filter((said) => !said.startsWith('0 ')).join(' and ');
  if (what) tell(`highwater: ${what} left out, as their texts cannot be redacted\n`);
  const copy = orUserError(beside, () => mkdtempSync(`${beside}.redacted-`), 'write');
  try {
    saveRecording(recording, copy);
    return work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A user id without a name, as in many containers, is no failure. */
function users(): string[] {
  const { USER, LOGNAME, SUDO_USER } = process.env;
  const fromEnvironment = [USER, LOGNAME, SUDO_USER].filter((name) => name !== undefined);
  try {
    return [userInfo().username, ...fromEnvironment];
  } catch {
    return fromEnvironment;
  }
}
