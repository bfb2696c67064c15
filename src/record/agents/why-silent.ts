import { basename } from 'node:path';
import { languageOf, programOf } from '../../sources/inspector/index.ts';
import { readText } from '../../sources/proc.ts';
import { injectionFolder, nodeHeapAgent, shutOut } from './injection.ts';

/** The agent's own code is written for this and newer. */
const OLDEST = [3, 8] as const;
const SILENT = 'it let no agent in, or ended before that could answer';

/** Why no agent speaks in a Python or Node process, as far as it can be seen from outside. */
export function whySilent(pid: number, proc = '/proc'): string {
  const environment = (readText(`${proc}/${pid}/environ`) ?? '').split('\0');
  const isOwn = (name: string, ours: string | null) =>
    ours === null ||
    environment.length <= 1 ||
    environment.some((word) => word.startsWith(`${name}=`) && word.includes(ours));
  if (languageOf(pid, proc) === 'node') {
    if (isOwn('NODE_OPTIONS', nodeHeapAgent())) return SILENT;
    return 'its NODE_OPTIONS are not those that the recorder gave it';
  }
  const file = basename(programOf(pid, proc) ?? '');
  const [, major, minor] = /^python(\d+)\.(\d+)/.exec(file) ?? [];
  if (major !== undefined && isOlder(Number(major), Number(minor))) {
    return `its Python is ${major}.${minor}, and the agent needs ${OLDEST.join('.')} or newer`;
  }
  const words = (readText(`${proc}/${pid}/cmdline`) ?? '').split('\0').slice(0, -1);
  const out = shutOut(words);
  if (out !== null) return out;
  if (isOwn('PYTHONPATH', injectionFolder())) return SILENT;
  return 'its PYTHONPATH is not the one that the recorder gave it';
}

const isOlder = (major: number, minor: number) =>
  major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
