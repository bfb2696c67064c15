import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Availability } from '../../../model/run.ts';
import { injectionFolder } from '../../../record/agents/injection.ts';

/** Where `import highwater` would lead, without importing it: code of others is not run to look at it. */
const WHERE =
  'import importlib.util as u; spec = u.find_spec("highwater"); print(spec and spec.origin or "")';
const REMEDY = 'pip install --force-reinstall --no-deps highwater-profiler';

/** What the Python on the PATH has under our name: our agent, nothing, or the package of another project that PyPI calls so. */
export function pythonPackage(env = process.env): Availability {
  const python = ['python3', 'python'].find((name) => ask(name, '0', env) !== null);
  if (python === undefined) return { ok: false, reason: 'no Python on the PATH' };
  const file = ask(python, WHERE, env)?.trim();
  if (!file) {
    const reason = `${python} has no package highwater, which only marks of your own need`;
    return { ok: false, reason, remedy: REMEDY };
  }
  const text = textOf(file);
  if (!text.startsWith(firstLine(ownAgent()))) {
    return { ok: false, reason: `${file} is another project's package highwater`, remedy: REMEDY };
  }
  const namesake = namesakeBeside(dirname(dirname(file)));
  if (namesake !== null) {
    const reason = `${namesake} of another project lies in the same folder: the one installed last is imported`;
    return { ok: false, reason, remedy: `pip uninstall highwater; ${REMEDY}` };
  }
  const version = /^__version__ = "(.*)"$/m.exec(text)?.[1];
  return { ok: true, detail: `${version} in ${dirname(file)}` };
}

function ask(python: string, program: string, env: NodeJS.ProcessEnv): string | null {
  const { status, stdout } = spawnSync(python, ['-c', program], {
    env,
    encoding: 'utf8',
    timeout: 10_000,
    // Not the folder that we are in, which Python would look in first.
    cwd: '/',
  });
  return status === 0 ? stdout : null;
}

/** The agent that travels with us: its first line is what is known of every version of it. */
function ownAgent(): string {
  const folder = injectionFolder();
  return folder === null ? '' : textOf(join(dirname(folder), '__init__.py'));
}

const firstLine = (text: string) => text.slice(0, text.indexOf('\n') + 1);

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** By the record that pip keeps: ours is called highwater_profiler. */
function namesakeBeside(sitePackages: string): string | null {
  try {
    const record = readdirSync(sitePackages).find((name) =>
      /^highwater-[^-]+\.(dist|egg)-info$/.test(name),
    );
    return record?.replace(/\.(dist|egg)-info$/, '').replace('-', ' ') ?? null;
  } catch {
    return null;
  }
}
