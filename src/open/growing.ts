import { readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errnoCode } from '../base/errors.ts';
import type { RunInfo } from '../model/run.ts';

/** A recorder writes at least once a second: after this silence it is gone. */
const SILENCE_MS = 8000;

/** Whether something was written to the folder a moment ago. */
export function growsNow(folder: string): boolean {
  try {
    const changed = readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs);
    return Date.now() - Math.max(...changed) < SILENCE_MS;
  } catch {
    return false;
  }
}

/** Whether its recorder ran on this machine and is gone: what it wrote a moment ago was its last. */
export function recorderIsGone({ host, recorder }: RunInfo): boolean {
  if (host.name !== hostname() || !Number.isSafeInteger(recorder.pid) || recorder.pid <= 0)
    return false;
  try {
    process.kill(recorder.pid, 0);
    return false;
  } catch (error) {
    return errnoCode(error) === 'ESRCH';
  }
}
