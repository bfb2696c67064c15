#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { largeSnapshot } from './early-reading.ts';
import { runUnrecorded } from './unrecorded.ts';

/**
 * Where the command line starts. With an old Node, with hardly any files to open (`ulimit -n 20`), or where it was not installed whole,
 * not even our own modules can be loaded: that is said in a line, and a command that was to be recorded runs all the same.
 */
const LEAST_NODE = [20, 19] as const;
const LEAST = 48;
/** Modules are loaded all at once. */
const LEAST_TO_RECORD = 96;

/** How many files this process may have open; Node has raised it as far as it may. */
function mostFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function isOldNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
}

/** What stands behind `--`, where that was to be recorded. */
function commandOf(argv: readonly string[]): readonly string[] {
  const dashes = argv[0] === 'record' ? argv.indexOf('--') : -1;
  const strict = argv.slice(0, Math.max(0, dashes)).includes('--strict');
  return dashes < 0 || strict ? [] : argv.slice(dashes + 1);
}

/** One line, and the command as it is; its exit code. */
async function goOnWithout(why: string, hint: string): Promise<number> {
  const command = commandOf(process.argv.slice(2));
  const runs = command.length > 0 ? 'the command runs unrecorded; ' : '';
  process.stderr.write(`highwater: ${why} (${runs}${hint})\n`);
  if (command.length > 0) return runUnrecorded(command);
  return process.argv[2] === 'record' ? 125 : 1;
}

// `ulimit -f`: a write is refused, as it is on a full disk, and does not end us.
if (process.listenerCount('SIGXFSZ') === 0) process.on('SIGXFSZ', () => {});
const most = mostFiles();
const least = process.argv[2] === 'record' ? LEAST_TO_RECORD : LEAST;
if (isOldNode()) {
  const why = `needs Node ${LEAST_NODE.join('.')} or newer, and this is ${process.versions.node}`;
  process.exitCode = await goOnWithout(why, 'install a newer Node');
} else if (most < least) {
  const why = `at most ${most} files may be open here, and ${least} are needed`;
  process.exitCode = await goOnWithout(why, 'raise it: ulimit -n 1024');
} else {
  const file = largeSnapshot(process.argv.slice(2));
  // Who asks for it later says what is wrong, if this fails.
  if (file)
    await import('../open/reading-thread.ts').then((m) => m.readEarly(file)).catch(() => {});
  const loaded = await import('./main.ts').catch((error: Error) => error);
  if (loaded instanceof Error) {
    const why = `cannot load its own code: ${loaded.message.split('\n', 1)[0]}`;
    process.exitCode = await goOnWithout(why, 'install it again');
  } else {
    const unrecorded = await loaded.start();
    if (unrecorded) process.exitCode = await runUnrecorded(unrecorded);
  }
}
