import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** A real process that does nothing, whose end the kernel tells through its held files. */
export function sleeper(): { pid: number; end: () => Promise<void> } {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid!,
    end: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
