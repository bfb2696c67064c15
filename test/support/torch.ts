import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { it } from 'vitest';
import { type Declare, where } from './programs.ts';

/**
 * A Python that has a package: the one that HIGHWATER_PYTHON names, that of `.venv` in the checkout,
 * or `python3`. Null where none has it.
 */
export function pythonWith(name: string): string | null {
  const own = resolve('.venv/bin/python');
  const asked = process.env.HIGHWATER_PYTHON;
  const candidates = asked ? [asked] : [...(existsSync(own) ? [own] : []), 'python3'];
  const find = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${name}") is None)`;
  const has = (python: string) => spawnSync(python, ['-c', find], { stdio: 'ignore' }).status === 0;
  return candidates.find(has) ?? null;
}

export const torchPython = () => pythonWith('torch');

/** `it` for a test that trains with torch. */
export const whereTorch = () => wherePackage('torch');

/**
 * `it` for a test that needs a Python package. Where it cannot be installed at all, and whoever set
 * the machine up says so (HIGHWATER_WITHOUT_TORCH=1), that is the second reason for which a test
 * may be skipped where none else may (see tally.ts).
 */
export function wherePackage(name: string): Declare {
  if (pythonWith(name)) return it;
  if (process.env[`HIGHWATER_WITHOUT_${name.toUpperCase()}`] === '1') {
    return (title) => it.skip(`${title} [skipped: ${name} cannot be installed here]`, () => {});
  }
  return where(`needs ${name}: HIGHWATER_PYTHON, or .venv with \`pip install ${name}\``);
}
