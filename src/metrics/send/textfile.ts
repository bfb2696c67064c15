import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** For node_exporter, which may read at any moment: a whole file takes the place of the one before. */
export function writeTextfile(path: string, text: string): void {
  const beside = `${path}.${process.pid}.tmp`; // it reads what ends in .prom
  try {
    writeFileSync(beside, text, { mode: 0o644 });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
