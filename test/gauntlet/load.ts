import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), 'beside', 'load.py');

/** The defined load: one busy loop for each core, and memory that comes and goes. */
export function startLoad(): { stop(): void } {
  const child = spawn('python3', [SCRIPT, `${availableParallelism()}`], { stdio: 'ignore' });
  return { stop: () => child.kill('SIGTERM') };
}
