import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { python } from './programs.ts';

/** One interpreter of each minor version from 3.8 on that is installed, by version: on the PATH, or by pyenv. */
export function pythons(): ReadonlyMap<string, string> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  for (const version of listed(versions)) folders.push(join(versions, version, 'bin'));
  const found = new Map<string, string>();
  const add = (program: string) => {
    const words = ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'];
    const { status, stdout } = spawnSync(program, words, { encoding: 'utf8' });
    const version = status === 0 ? stdout.trim() : '';
    if (/^3\.([89]|\d\d)$/.test(version) && !found.has(version)) found.set(version, program);
  };
  add(python());
  for (const folder of folders) {
    for (const name of listed(folder)) {
      if (/^python3\.\d+$/.test(name) && !found.has(name.slice('python'.length))) {
        add(join(folder, name));
      }
    }
  }
  return found;
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
