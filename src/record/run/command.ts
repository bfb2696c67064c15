import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { errnoCode, UserError } from '../../base/errors.ts';

/** Exit codes of `env`, which tell a missing command from one that is not executable. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** Finds a command as a shell would, so that a typing error is told before anything is recorded. */
export function resolveCommand(command: string, searchPath = process.env.PATH ?? ''): string {
  if (command.includes('/')) return checkFile(command);
  let unusable: string | null = null;
  for (const folder of searchPath.split(delimiter)) {
    const candidate = join(folder || '.', command);
    if (isExecutable(candidate)) return candidate;
    if (isFile(candidate)) unusable = candidate;
  }
  if (unusable) return checkFile(unusable);
  throw new UserError(`command not found: ${command}`, { exitCode: NOT_FOUND });
}

function checkFile(path: string): string {
  if (isExecutable(path)) return path;
  const stat = statOf(path);
  if (stat === null) {
    throw new UserError(`command not found: ${path}`, { exitCode: NOT_FOUND });
  }
  const isFolder = stat !== 'hidden' && stat.isDirectory();
  throw new UserError(`cannot execute ${path}: ${isFolder ? 'is a folder' : 'permission denied'}`, {
    exitCode: NOT_EXECUTABLE,
  });
}

/** null: there is nothing; 'hidden': the folders on the way are closed to us, as a PATH may have. */
function statOf(path: string): Stats | 'hidden' | null {
  try {
    return statSync(path);
  } catch (error) {
    return errnoCode(error) === 'EACCES' ? 'hidden' : null;
  }
}

function isFile(path: string): boolean {
  const stat = statOf(path);
  return stat !== null && stat !== 'hidden' && stat.isFile();
}

function isExecutable(path: string): boolean {
  if (!isFile(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A short name for a run: the script or module rather than the interpreter. */
export function runName(argv: readonly string[]): string {
  const program = basename(argv[0] ?? 'host');
  const module = argv.indexOf('-m');
  let name = program;
  if (/^(python|pypy)[\d.]*$/.test(program) && module > 0 && argv[module + 1]) {
    name = argv[module + 1]!;
  } else if (
    /^(python|pypy|node|bash|sh|ruby|perl|torchrun|mpirun|mpiexec|srun|tsx|deno|bun)[\d.]*$/.test(
      program,
    )
  ) {
    const script = argv.slice(1).find((word) => !word.startsWith('-') && /\.[a-z]\w*$/i.test(word));
    if (script) name = basename(script).replace(/\.\w+$/, '');
  }
  return name.replace(/[^\w.-]+/g, '_').slice(0, 60) || 'run';
}

const CLIENTS: ReadonlyMap<string, string> = new Map([
  ['docker', 'inside the container'],
  ['podman', 'inside the container, if a remote machine runs it'],
  ['nerdctl', 'inside the container'],
  ['kubectl', 'inside the pod'],
  ['oc', 'inside the pod'],
  ['ssh', 'on the remote machine'],
  ['srun', 'on the compute node: srun highwater record -- …'],
  ['sbatch', 'inside the batch script'],
  ['ray', 'on the cluster'],
  ['systemd-run', 'inside the unit'],
]);

/** Warns when the command only asks another program to run the workload somewhere else. */
export function outsideWarning(argv: readonly string[]): string | null {
  const program = basename(argv[0] ?? '');
  const where = CLIENTS.get(program);
  if (!where) return null;
  return `${program} is only a client: the workload runs outside this process tree; to see it, record ${where}`;
}
