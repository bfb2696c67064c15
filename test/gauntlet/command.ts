import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { CACHE } from './cache.ts';
import type { Program } from './programs.ts';
import { publicCommand } from './public/command.ts';

/** The words that start it, with what it needs in its environment; or why it cannot be started here. */
export type Started =
  | { readonly argv: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly absent: string };

export function commandOf({ command, truth }: Program): Started {
  if (command.kind === 'public') return publicCommand(command.program, truth.needs);
  const { path } = command;
  const word = interpreters[extname(path)]!(path, truth.needs);
  return 'absent' in word ? word : { argv: [...word.argv, ...truth.args] };
}

const interpreters: Record<string, (path: string, needs: readonly string[]) => Started> = {
  '.py': (path, needs) => {
    const python = pythonWith(needs);
    return python ? { argv: [python, path] } : { absent: `no Python has ${needs.join(', ')}` };
  },
  '.mjs': (path) => ({ argv: [process.execPath, path] }),
  '.sh': (path) => ({ argv: ['bash', path] }),
  '.c': (path) => compiled(path),
};

/** As a program in C is built: optimised, with threads. */
function compiled(path: string): Started {
  const folder = join(CACHE, 'compiled');
  const program = join(folder, basename(path, '.c'));
  mkdirSync(folder, { recursive: true });
  const fresh = existsSync(program) && statSync(program).mtimeMs > statSync(path).mtimeMs;
  if (fresh) return { argv: [program] };
  const { status, stderr, error } = spawnSync('gcc', ['-O1', '-pthread', '-o', program, path], {
    encoding: 'utf8',
  });
  return status === 0 ? { argv: [program] } : { absent: `gcc: ${error?.message ?? stderr}` };
}

const known = new Map<string, string | null>();

/** A Python with these modules: the one that HIGHWATER_PYTHON names, `.venv`'s, or `python3`. */
export function pythonWith(modules: readonly string[]): string | null {
  const key = modules.join(' ');
  if (!known.has(key)) known.set(key, search(modules));
  return known.get(key)!;
}

const FIND =
  'import importlib.util as i, sys; sys.exit(any(i.find_spec(name) is None for name in sys.argv[1:]))';

function search(modules: readonly string[]): string | null {
  const asked = process.env.HIGHWATER_PYTHON;
  const candidates = asked ? [asked] : [resolve('.venv/bin/python'), 'python3'];
  const has = (python: string) =>
    spawnSync(python, ['-c', FIND, ...modules], { stdio: 'ignore' }).status === 0;
  return candidates.find(has) ?? null;
}
