import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Located } from '../../backend.ts';

/** The program on the PATH, or why there is none. */
export function findProgram(env: NodeJS.ProcessEnv = process.env): Located {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  // WSL keeps it apart, and not on everybody's PATH.
  const places = [...folders, '/usr/lib/wsl/lib'].map((folder) => join(folder, 'nvidia-smi'));
  const path = places.find(isExecutable);
  return path ? { path } : { reason: 'no program nvidia-smi on the PATH' };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
