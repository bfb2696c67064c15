import { join } from 'node:path';
import { pythonWith, type Started } from '../command.ts';
import { installed } from './install.ts';
import type { PublicProgram } from './list.ts';

/** Installs what the program is part of, once, and says how it is started. */
export function publicCommand(program: PublicProgram, needs: readonly string[]): Started {
  const python = pythonWith(needs);
  if (!python) return { absent: `no Python has ${needs.join(', ')}` };
  const place = installed(program, python);
  if ('absent' in place) return place;
  const argv = program.run.map((word) => {
    if (word === 'python') return python;
    if (word === 'node') return process.execPath;
    return word.startsWith('in:') ? join(place.folder, word.slice(3)) : word;
  });
  return { argv, env: program.python ? { PYTHONPATH: place.folder } : {} };
}
