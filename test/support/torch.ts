import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { it } from 'vitest';
import { type Declare, where } from './programs.ts';

/**
 * A Python that has torch: the one that HIGHWATER_PYTHON names, that of `.venv` in the checkout, or
 * `python3`. Null where none has it.
 */
export function torchPython(): string | null {
  const own = resolve('.venv/bin/python');
  const asked = process.env.HIGHWATER_PYTHON;
  const candidates = asked ? [asked] : [...(existsSync(own) ? [own] : []), 'python3'];
  return candidates.find(hasTorch) ?? null;
}

/**
 * `it` for a test that trains with torch. Where torch cannot be installed at all, and whoever set
 * the machine up says so (HIGHWATER_WITHOUT_TORCH=1), that is the second reason for which a test
 * may be skipped where none else may (see tally.ts).
 */
export function whereTorch(): Declare {
  if (torchPython()) return it;
  if (process.env.HIGHWATER_WITHOUT_TORCH === '1') {
    return (name) => it.skip(`${name} [skipped: torch cannot be installed here]`, () => {});
  }
  return where('needs torch: HIGHWATER_PYTHON, or .venv with `pip install torch`');
}

function hasTorch(python: string): boolean {
  const find = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)';
  return spawnSync(python, ['-c', find], { stdio: 'ignore' }).status === 0;
}
