#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * Where the command line starts. With hardly any files to open (`ulimit -n 20`) not even our own modules can be
 * loaded: that is said in a line, and a command that was to be recorded runs all the same.
 */
const LEAST = 48;
const LEAST_TO_RECORD = 72;

/** How many files this process may have open; Node has raised it as far as it may. */
function mostFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Runs what stands behind `--` as it is; its exit code. */
function runUnrecorded([command, ...words]: readonly string[]): Promise<number> {
  // Not spawnSync, which wants files for a loop of its own.
  const child = spawn(command!, words, { stdio: 'inherit' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (code, signal) =>
      resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)),
    );
  });
}

const most = mostFiles();
const isRecord = process.argv[2] === 'record';
const least = isRecord ? LEAST_TO_RECORD : LEAST;
if (most >= least) await (await import('./main.ts')).start();
else {
  const dashes = isRecord ? process.argv.indexOf('--') : -1;
  const command = dashes < 0 ? [] : process.argv.slice(dashes + 1);
  const unrecorded = command.length > 0 ? 'the command runs unrecorded; ' : '';
  process.stderr.write(
    `highwater: at most ${most} files may be open here, and ${least} are needed (${unrecorded}raise it: ulimit -n 1024)\n`,
  );
  process.exitCode = command.length > 0 ? await runUnrecorded(command) : isRecord ? 125 : 1;
}
