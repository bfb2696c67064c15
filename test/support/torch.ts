import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { it } from 'vitest';
import { type Declare, where } from './programs.ts';

const known = new Map<string, string | null>();

/**
 * A Python that has all of these: the one that HIGHWATER_PYTHON names, that of `.venv` in the
 * checkout, or `python3`. Null where none has them.
 */
export function pythonWith(...names: string[]): string | null {
  const key = names.join(' ');
  const found = known.has(key) ? known.get(key)! : search(names);
  known.set(key, found);
  return found;
}

function search(names: readonly string[]): string | null {
  const own = resolve('.venv/bin/python');
  const asked = process.env.HIGHWATER_PYTHON;
  const candidates = asked ? [asked] : [...(existsSync(own) ? [own] : []), 'python3'];
  const find =
    'import importlib.util as i, sys; sys.exit(any(i.find_spec(name) is None for name in sys.argv[1:]))';
  const has = (python: string) =>
    spawnSync(python, ['-c', find, ...names], { stdio: 'ignore' }).status === 0;
  return candidates.find(has) ?? null;
}

/** pytest beside a setuptools (70.1 or newer) that builds wheels by itself. */
export const wheelPython = () => pythonWith('pytest', 'setuptools.command.bdist_wheel');

export const torchPython = () => pythonWith('torch');

/** `it` for a test that trains with torch. */
export const whereTorch = () => whereFound(torchPython(), 'torch');

/** `it` for a test that builds our wheel and lets pytest use it. */
export const whereWheel = () => whereFound(wheelPython(), 'pytest', "'setuptools>=70.1'");

/**
 * `it` for a test that needs Python packages. Where the first cannot be installed at all, and whoever
 * set the machine up says so (HIGHWATER_WITHOUT_TORCH=1), that is the second reason for which a test
 * may be skipped where none else may (see counts-reporter.ts).
 */
export function whereFound(python: string | null, name: string, ...more: string[]): Declare {
  if (python) return it;
  if (process.env[`HIGHWATER_WITHOUT_${name.toUpperCase()}`] === '1') {
    return (title) => it.skip(`${title} [skipped: ${name} cannot be installed here]`, () => {});
  }
  const packages = [name, ...more].join(' ');
  return where(`needs ${name}: HIGHWATER_PYTHON, or .venv with \`pip install ${packages}\``);
}
