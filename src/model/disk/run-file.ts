import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunInfo } from '../run.ts';

/** Replaces run.json as a whole, so that a reader sees the old one or the new one, never a part. */
export function writeRun(folder: string, run: RunInfo): void {
  const path = join(folder, 'run.json');
  const fd = openSync(`${path}.new`, 'w', 0o644);
  try {
    writeSync(fd, `${JSON.stringify(run, null, 2)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.new`, path);
}
