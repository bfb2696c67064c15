import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonWith, type Started } from '../command.ts';
import { installed } from './install.ts';
import type { PublicProgram } from './kinds.ts';

const DRIVERS = join(dirname(fileURLToPath(import.meta.url)), 'drivers');

/** Installs what the program is part of, once, and says how it is started. */
export function publicCommand(program: PublicProgram, needs: readonly string[]): Started {
  const python = pythonWith(needs);
  if (!python) return { absent: `no Python has ${needs.join(', ')}` };
  const place = installed(program, python);
  if ('absent' in place) return place;
  const argv = program.run.map((word) => {
    if (word === 'python') return python;
    if (word === 'node') return process.execPath;
    if (word.startsWith('in:')) return join(place.folder, word.slice('in:'.length));
    return word.startsWith('ours:') ? join(DRIVERS, word.slice('ours:'.length)) : word;
  });
  return { argv, env: pathTo(program, place.folder) };
}

/** Where a driver of ours finds the packages: `import` in Python, `require` in Node. */
function pathTo({ python, npm }: PublicProgram, folder: string): Record<string, string> {
  if (python) return { PYTHONPATH: folder };
  return npm ? { NODE_PATH: folder } : {};
}
