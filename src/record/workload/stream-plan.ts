import { fstatSync, readFileSync } from 'node:fs';
import { isatty, type ReadStream } from 'node:tty';

/**
 * How the workload's three standard streams are connected:
 * - where the user has a terminal, the workload gets one too (a pseudo-terminal), so that nothing
 *   turns to block-buffering and progress bars go on;
 * - output to a file goes straight to that file: nothing stands in between that could die;
 * - other output goes through a pipe that we pass on;
 * - a program that records and takes the output for itself gets all of it, and there is no input.
 */
export type Connection = 'terminal' | 'pipe' | 'untouched' | 'none';

export interface StreamPlan {
  readonly stdin: Connection;
  readonly stdout: Connection;
  readonly stderr: Connection;
  /** Both outputs go to one place (`2>&1 |`): one pipe keeps their lines in order. */
  readonly joined: boolean;
}

export function planStreams(watch: boolean, canOpenTerminals: boolean, taken: boolean): StreamPlan {
  if (taken) return { stdin: 'none', stdout: 'pipe', stderr: 'pipe', joined: false };
  if (!watch) {
    return { stdin: 'untouched', stdout: 'untouched', stderr: 'untouched', joined: false };
  }
  const output = (fd: 1 | 2): Connection => {
    if (isatty(fd)) return canOpenTerminals ? 'terminal' : 'untouched';
    return isRegularFile(fd) ? 'untouched' : 'pipe';
  };
  const stdout = output(1);
  const stderr = output(2);
  const hasTerminal = stdout === 'terminal' || stderr === 'terminal';
  const stdin = isatty(0) && hasTerminal ? 'terminal' : 'untouched';
  const joined = stdout === 'pipe' && stderr === 'pipe' && sameFile(1, 2);
  return { stdin, stdout, stderr, joined };
}

function sameFile(a: number, b: number): boolean {
  const [one, other] = [fstatSync(a), fstatSync(b)];
  return one.dev === other.dev && one.ino === other.ino;
}

function isRegularFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

/** Files that output goes straight to, under names by which they can be read as they grow. */
export function outputFiles(): string[] {
  const fds = ([1, 2] as const).filter(isRegularFile);
  const different = fds.length === 2 && sameFile(1, 2) ? [1] : fds;
  return different.map((fd) => `/proc/self/fd/${fd}`);
}

/** Whether this process may change its terminal: a background job that tries is stopped. */
export function inForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[2] === fields[5]; // process group and the terminal's foreground group
  } catch {
    return false;
  }
}

/**
 * Hands what the user types to the workload's terminal; returns what undoes it. Through the stream,
 * which keeps the order and waits for room: a pasted page is more than a terminal takes at once.
 */
export function forwardTyping(terminal: ReadStream): () => void {
  const { stdin } = process;
  const type = (chunk: Buffer) => terminal.write(chunk);
  // The user closed the window: SIGHUP tells the workload, and the recording must still be ended.
  stdin.on('error', () => {});
  stdin.setRawMode(true);
  stdin.on('data', type);
  stdin.resume();
  return () => {
    stdin.off('data', type);
    stdin.setRawMode(false);
    stdin.pause();
    stdin.unref();
  };
}
