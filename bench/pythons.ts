import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A Python of a version (`3.11`), by its name or as pyenv keeps them; null where there is none. */
export function pythonOf(version: string): string | null {
  const names = [`python${version}`, ...keptByPyenv(version)];
  return names.map((name) => executableOf(name, version)).find((path) => path !== null) ?? null;
}

function keptByPyenv(version: string): string[] {
  const folder = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${version}.`))
    .map((name) => join(folder, name, 'bin/python3'));
}

/** The program itself: a script in front of it would count against it. */
function executableOf(name: string, version: string): string | null {
  const ask = 'import sys; print(*sys.version_info[:2], sep="."); print(sys.executable)';
  const { status, stdout } = spawnSync(name, ['-c', ask], { encoding: 'utf8' });
  if (status !== 0) return null;
  const [found, path] = stdout.trim().split('\n');
  return found === version && path ? path : null;
}
