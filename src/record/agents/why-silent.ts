import { basename } from 'node:path';
import { programOf } from '../../sources/inspector/index.ts';
import { readText } from '../../sources/proc.ts';
import { injectionFolder, shutOut } from './injection.ts';

/** The agent's own code is written for this and newer. */
const OLDEST = [3, 8] as const;

/** Why no agent speaks in a Python process, as far as it can be seen from outside. */
export function whySilent(pid: number, proc = '/proc'): string {
  const file = basename(programOf(pid, proc) ?? '');
  const [, major, minor] = /^python(\d+)\.(\d+)/.exec(file) ?? [];
  if (major !== undefined && isOlder(Number(major), Number(minor))) {
    return `its Python is ${major}.${minor}, and the agent needs ${OLDEST.join('.')} or newer`;
  }
  const words = (readText(`${proc}/${pid}/cmdline`) ?? '').split('\0').slice(0, -1);
  const out = shutOut(words);
  if (out !== null) return out;
  const folder = injectionFolder();
  const environment = (readText(`${proc}/${pid}/environ`) ?? '').split('\0');
  const path = environment.find((word) => word.startsWith('PYTHONPATH=')) ?? '';
  if (folder !== null && environment.length > 1 && !path.includes(folder)) {
    return 'its PYTHONPATH is not the one that the recorder gave it';
  }
  return 'it let no agent in, or ended before that could answer';
}

const isOlder = (major: number, minor: number) =>
  major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
