import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Sent to us, and meant for the command. What is typed at a terminal reaches both of us by itself. */
const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;
const TYPED = ['SIGINT', 'SIGQUIT'] as const;

/** Runs a command as it is, where it cannot be recorded; its exit code, as a shell shows it. Loads nothing of ours. */
export function runUnrecorded([command, ...words]: readonly string[]): Promise<number> {
  // Not spawnSync, which wants files for a loop of its own.
  const child = spawn(command!, words, { stdio: 'inherit' });
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
  for (const signal of TYPED) {
    process.on(signal, () => {
      if (!process.stdin.isTTY) child.kill(signal);
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve('code' in error && error.code === 'EACCES' ? 126 : 127));
    child.once('exit', (code, signal) =>
      resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)),
    );
  });
}
