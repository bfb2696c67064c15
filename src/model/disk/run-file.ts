import { join } from 'node:path';
import type { RunInfo } from '../run.ts';
import { replaceFile } from './files.ts';

export function writeRun(folder: string, run: RunInfo): void {
  replaceFile(join(folder, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
}
