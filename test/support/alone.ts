import { readdirSync, readFileSync } from 'node:fs';
import { until } from './recorder.ts';

/** Other processes of this test run, by their pid: they have the parent that this one has. */
function otherWorkers(): string[] {
  const own = String(process.pid);
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && pid !== own && isWorker(pid));
}

function isWorker(pid: string): boolean {
  try {
    const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))!;
    return (
      Number(parent) === process.ppid &&
      readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('vitest')
    );
  } catch {
    return false; // it has ended meanwhile
  }
}

// Vitest begins this project while the last processes of the one before still give back their memory.
await until(() => otherWorkers().length === 0);
