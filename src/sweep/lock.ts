import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errnoCode, UserError } from '../base/errors.ts';
import { asUserError } from '../model/disk/files.ts';
import { readStat } from '../sources/proc.ts';
import { THIS_MACHINE } from '../sources/source.ts';

export const LOCK = 'sweep.lock';

/** Keeps a second sweep out of the folder; returns what lets go of it again. */
export function lockFolder(folder: string): () => void {
  const path = join(folder, LOCK);
  const mine = `${process.pid} ${startTime(process.pid)} ${hostname()}\n`;
  try {
    refuseLocked(folder);
    // What is still there was left by a sweep that was killed.
    rmSync(path, { force: true });
    writeFileSync(path, mine, { flag: 'wx' });
  } catch (error) {
    if (errnoCode(error) === 'EEXIST') throw underWay(folder, 'just started');
    throw asUserError(path, error, 'write');
  }
  return () => rmSync(path, { force: true });
}

/** Refuses a folder that a living sweep works in. */
export function refuseLocked(folder: string): void {
  const path = join(folder, LOCK);
  if (!existsSync(path)) return;
  const [pid = '', started = '', host = ''] = readFileSync(path, 'utf8').trim().split(' ');
  if (host !== '' && host !== hostname()) {
    throw underWay(folder, `pid ${pid} on ${host}`, `if it is not, remove ${path}`);
  }
  if (started !== '' && startTime(Number(pid)) === started) throw underWay(folder, `pid ${pid}`);
}

const underWay = (folder: string, who: string, hint = 'wait for it, or end it with Ctrl-C') =>
  new UserError(`a sweep is under way in ${folder} (${who})`, { hint });

/** A pid comes back with another process; pid and start time do not. */
const startTime = (pid: number) => String(readStat(THIS_MACHINE.proc, pid)?.startTime ?? '');
