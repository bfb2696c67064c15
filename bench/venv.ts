import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A Python environment of the benchmarks' own, made on the first run; all Python peers live there. */
const VENV = fileURLToPath(new URL('../.venv-bench', import.meta.url));

export const program = (name: string) => join(VENV, 'bin', name);

/** That of the environment, with the peers; where none can be made, the machine's own. */
export const python = () => (existsSync(program('python')) ? program('python') : 'python3');

/** The version of a package (`name==version`, or a name for any), installed if need be; null where it cannot be. */
export function installed(pinned: string): string | null {
  if (!existsSync(program('python')) && !succeeds('python3', '-m', 'venv', VENV)) return null;
  const [name, version] = pinned.split('==') as [string, string?];
  const there = versionOf(name);
  if (there !== null && (version === undefined || version === there)) return there;
  process.stderr.write(`installing ${pinned}\n`);
  const done = succeeds(program('python'), '-m', 'pip', 'install', '--quiet', pinned);
  return done ? versionOf(name) : null;
}

function versionOf(name: string): string | null {
  const ask = `import importlib.metadata as m; print(m.version("${name}"))`;
  const { status, stdout } = spawnSync(program('python'), ['-c', ask], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

function succeeds(command: string, ...words: string[]): boolean {
  return spawnSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}
