import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunInfo } from '../run.ts';

/** Replaces run.json as a whole, so that a reader sees the old one or the new one, never a part. */
export function writeRun(folder: string, run: RunInfo): void {
  const path = join(folder, 'run.json');
  const fd = openSync(`${path}.new`, 'w', 0o644);
  try {
    // Writes until all is written: a full disk may take a part without complaint.
    writeFileSync(fd, `${JSON.stringify(run, null, 2)}\n`);
    fsyncSync(fd);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.new`, path);
}
