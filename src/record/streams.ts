import { closeSync, fstatSync, readFileSync, write } from 'node:fs';
import { Socket } from 'node:net';
import { isatty, ReadStream } from 'node:tty';
import type { Libc } from './libc.ts';

/**
 * How the workload's three standard streams are connected:
 * - where the user has a terminal, the workload gets one too (a pseudo-terminal), so that nothing
 *   turns to block-buffering and progress bars go on;
 * - output to a file goes straight to that file: nothing stands in between that could die;
 * - other output goes through a pipe that we pass on.
 */
export type Connection = 'terminal' | 'pipe' | 'untouched';

export interface Plan {
  readonly stdin: Connection;
  readonly stdout: Connection;
  readonly stderr: Connection;
}

export function planStreams(watch: boolean, libc: Libc | null): Plan {
  if (!watch) return { stdin: 'untouched', stdout: 'untouched', stderr: 'untouched' };
  const output = (fd: 1 | 2): Connection => {
    if (isatty(fd)) return libc ? 'terminal' : 'untouched';
    return isRegularFile(fd) ? 'untouched' : 'pipe';
  };
  const stdout = output(1);
  const stderr = output(2);
  const hasTerminal = stdout === 'terminal' || stderr === 'terminal';
  return { stdin: isatty(0) && hasTerminal ? 'terminal' : 'untouched', stdout, stderr };
}

function isRegularFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
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

export type Listener = (chunk: Buffer) => void;

/** Passes bytes on to one of our own streams, at the pace at which that one takes them. */
export class Relay {
  readonly #source: Socket | ReadStream;
  readonly #listen: Listener;
  #lastByte = performance.now();
  #ended = false;

  constructor(source: Socket | ReadStream, target: NodeJS.WriteStream, listen: Listener) {
    this.#source = source;
    this.#listen = listen;
    source.on('data', (chunk: Buffer) => {
      this.#lastByte = performance.now();
      this.#listen(chunk);
      if (!target.write(chunk)) {
        source.pause();
        target.once('drain', () => source.resume());
      }
    });
    // A terminal whose other side is closed answers EIO: that is its end, no failure.
    source.on('error', () => source.destroy());
    source.on('close', () => {
      this.#ended = true;
    });
    // `highwater record … | head`: the workload must see the closed pipe as it would without us.
    target.on('error', () => source.destroy());
  }

  /**
   * Waits for what is still on its way. The workload's end is its exit, not the closing of its
   * pipes: a daemon it left behind may hold them for ever.
   */
  async drain(): Promise<void> {
    const started = performance.now();
    while (!this.#ended && performance.now() - Math.max(started, this.#lastByte) < 100) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    this.#source.destroy();
  }
}

/** Reading from a pipe's descriptor through Node's event loop. */
export function readPipe(fd: number): Socket {
  return new Socket({ fd, readable: true, writable: false });
}

export function readTerminal(master: number): ReadStream {
  return new ReadStream(master);
}

/** Hands what the user types to the workload's terminal; returns what undoes it. */
export function forwardTyping(master: number): () => void {
  const { stdin } = process;
  const type = (chunk: Buffer) => write(master, chunk, () => {});
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

export function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {}
}
