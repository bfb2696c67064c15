import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Sent to us, and meant for the command. What is typed at a terminal reaches both of us by itself. */
const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;
const TYPED = ['SIGINT', 'SIGQUIT'] as const;

/** No process may be made now (`ulimit -u`), or no file opened (`ulimit -n`): our own threads, or modules that are still loaded, may have been the last. */
const PASSES: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EMFILE']);
const TRIES = 10;
const TRY_MS = 50;

/** Runs a command as it is, where it cannot be recorded; its exit code, as a shell shows it. Loads nothing of ours. */
export async function runUnrecorded([command, ...words]: readonly string[]): Promise<number> {
  for (let tries = 1; ; tries++) {
    const result = await run(command!, words).catch((error: NodeJS.ErrnoException) => error);
    if (typeof result === 'number') return result;
    if (!PASSES.has(result.code) || tries === TRIES) return notStarted(result);
    await new Promise((resolve) => setTimeout(resolve, TRY_MS));
  }
}

function run(command: string, words: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    // Not spawnSync, which wants files for a loop of its own. Some refusals are thrown, some told as an event.
    const child = spawn(command, words, { stdio: 'inherit' });
    child.once('error', reject);
    for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
    for (const signal of TYPED) {
      process.on(signal, () => {
        if (!process.stdin.isTTY) child.kill(signal);
      });
    }
    child.once('exit', (code, signal) =>
      resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)),
    );
  });
}

/** A command that is not there is seen by the exit code, as ever; that it could not be started needs a word. */
function notStarted(error: NodeJS.ErrnoException): number {
  if (error.code === 'ENOENT') return 127;
  if (error.code !== 'EACCES') {
    process.stderr.write(`highwater: cannot start the command: ${error.message}\n`);
  }
  return 126;
}
