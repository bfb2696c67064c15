import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of one mebibyte, made of memory. */
export function mountTmpfs(folder: string): void {
  const options = ['-t', 'tmpfs', '-o', 'size=1m', 'highwater-test', folder];
  execFileSync('mount', options, { stdio: 'pipe' });
}

/** Why no disk can be made here; null where one can. */
export function lackOfMount(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'highwater-test-'));
  try {
    mountTmpfs(folder);
    execFileSync('umount', [folder]);
    return null;
  } catch {
    return 'no disk can be mounted here: needs root';
  } finally {
    rmdirSync(folder);
  }
}
