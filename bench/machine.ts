import { spawnSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { formatBytes } from '../src/base/bytes.ts';

/** The machine in a line, as a table of figures must name it. */
export function machine(): string {
  const { stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  const python = stdout?.trim() || 'no Python';
  return [
    `${cpus().length} cores (${process.arch})`,
    formatBytes(totalmem()),
    `Linux ${release()}`,
    `Node ${process.version.slice(1)}`,
    python,
  ].join(', ');
}
