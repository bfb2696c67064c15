import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('usage.py', import.meta.url));

export interface Usage {
  readonly exit: number;
  readonly seconds: number;
  /** Of the command and of all its descendants that were waited for. */
  readonly cpuSeconds: number;
  /** Of the largest of them. */
  readonly peakBytes: number;
}

/** Runs a command with its output in a file; what it took of time and memory. */
export async function usageOf(command: readonly string[], out: string): Promise<Usage> {
  const { stdout } = await promisify(execFile)('python3', [SCRIPT, out, ...command]);
  const used = JSON.parse(stdout) as Usage;
  if (used.exit !== 0) throw new Error(`${command.join(' ')} ended with ${used.exit}`);
  return used;
}

/** The least of several runs: neighbours on the machine only ever add. */
export const best = (uses: readonly Usage[], key: 'seconds' | 'cpuSeconds' | 'peakBytes') =>
  Math.min(...uses.map((used) => used[key]));
