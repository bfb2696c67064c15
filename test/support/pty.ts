import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { python } from './programs.ts';
import { CLI, cleanEnv, SCRATCH, shortFlags } from './recorder.ts';

/** What a user does at a terminal. */
export type Step =
  /** Waits until the terminal shows this (a regular expression), after what was waited for before. */
  | { wait: string }
  /** Waits until a file holds this text. */
  | { file: string; holds: string }
  | { send: string }
  | { resize: [rows: number, columns: number] }
  | { sleep: number }
  /** Notes whether the terminal is in its usual, line-editing mode. */
  | { cooked: true }
  | { kill: NodeJS.Signals }
  /** Closes the window. */
  | { hangup: true };

export interface Seen {
  /** Every byte that reached the terminal. */
  readonly output: string;
  /** Of the recorder; negative for a signal, null when it never ended. */
  readonly code: number | null;
  /** At each `cooked` step, and at last after the recorder ended. */
  readonly cooked: boolean[];
  /** 0 when all that was waited for came. */
  readonly stepsLeft: number;
}

const DRIVER = resolve(import.meta.dirname, 'pty-driver.py');

/** Runs any command on a pseudo-terminal of its own. */
export async function onTerminal(
  argv: readonly string[],
  steps: readonly Step[],
  options: { size?: [number, number]; fds?: number[]; env?: NodeJS.ProcessEnv } = {},
): Promise<Seen> {
  const { size, fds, env } = options;
  const plan = JSON.stringify({ argv, steps, size, fds });
  const { stdout } = await promisify(execFile)(python(), [DRIVER, plan], {
    cwd: SCRATCH,
    env: cleanEnv(env),
    maxBuffer: 1 << 26,
  });
  return JSON.parse(stdout) as Seen;
}

/** Records a command on a pseudo-terminal; the flags come after the short ones. */
export function recordOnTerminal(
  folder: string,
  flags: readonly string[],
  command: readonly string[],
  steps: readonly Step[],
  options?: Parameters<typeof onTerminal>[2],
): Promise<Seen> {
  const argv = [process.execPath, CLI, ...shortFlags(folder), ...flags, '--', ...command];
  return onTerminal(argv, steps, options);
}

/** The lines that remain on the screen: enough of a terminal for carriage returns and erasing. */
export function screenLines(output: string): string[] {
  const lines = [''];
  let column = 0;
  for (const [token] of output.matchAll(/\x1b\[[0-9;?]*[A-Za-z]|[\s\S]/g)) {
    const last = lines.length - 1;
    if (token === '\x1b[2K') lines[last] = '';
    else if (token.startsWith('\x1b')) continue;
    else if (token === '\r') column = 0;
    else if (token === '\n') lines.push('');
    else {
      const line = lines[last]!.padEnd(column);
      lines[last] = line.slice(0, column) + token + line.slice(column + 1);
      column++;
    }
  }
  return lines.filter((line) => line !== '');
}
