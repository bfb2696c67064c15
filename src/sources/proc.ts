import { closeSync, openSync, readSync } from 'node:fs';

/** The kernel tells processor time in hundredths of a second to programs (USER_HZ), whatever its own clock. */
export const TICK_NS = 1e7;

/**
 * A kernel file that is read again and again through one descriptor: 1–7 µs a read, where opening
 * it each time costs 20–50 µs. The descriptor belongs to one process for ever, so that a reused
 * pid can never join two series: reading fails once the process is gone.
 */
export class HeldFile {
  readonly #fd: number;
  readonly #buffer: Buffer;

  /** Throws where the file cannot be opened. The buffer is the caller's, shared between files. */
  constructor(path: string, buffer: Buffer) {
    this.#fd = openSync(path, 'r');
    this.#buffer = buffer;
  }

  /** Reads the file into the buffer; its length, or −1 when the process is gone. */
  read(): number {
    try {
      return readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0);
    } catch {
      return -1;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

export function openOrNull(path: string, buffer: Buffer): HeldFile | null {
  try {
    return new HeldFile(path, buffer);
  } catch {
    return null;
  }
}

/** The number that starts at or after a position; NaN when a line ends before one. */
export function numberAt(buffer: Uint8Array, position: number, end: number): number {
  let at = position;
  while (at < end && (buffer[at] === 0x20 || buffer[at] === 0x09)) at++;
  let value = 0;
  const first = at;
  for (; at < end; at++) {
    const digit = buffer[at]! - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return at === first ? Number.NaN : value;
}

/** One for all: names are read each second, and fresh memory costs more than the reading. */
const textBuffer = Buffer.alloc(65_536);

/** A small file as text, or null: for what is read rarely. */
export function readText(path: string): string | null {
  const buffer = textBuffer;
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    let length = 0;
    while (length < buffer.length) {
      const got = readSync(fd, buffer, length, buffer.length - length, null);
      if (got === 0) break;
      length += got;
    }
    return buffer.toString('utf8', 0, length);
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

export interface ProcStat {
  readonly pid: number;
  /** comm: of a fork that of the thread which forked, until it is given another. */
  readonly name: string;
  readonly state: string;
  readonly ppid: number;
  readonly session: number;
  /** Ticks since boot; with the pid it names a process for ever. */
  readonly startTime: number;
  /** A thread shows up under /proc as well, but never sends a signal on exit. */
  readonly isThread: boolean;
  /** Whether it became another program since it was forked. */
  readonly execed: boolean;
}

/** The kernel's flag (PF_FORKNOEXEC) of a process that is still what it was forked from. */
const FORKED_ONLY = 0x40;

/** /proc/PID/stat, or null when there is no such process. comm may hold spaces and brackets. */
export function readStat(proc: string, pid: number): ProcStat | null {
  const text = readText(`${proc}/${pid}/stat`);
  if (text === null) return null;
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  if (fields.length < 36) return null;
  return {
    pid,
    name: text.slice(text.indexOf('(') + 1, end),
    state: fields[0]!,
    ppid: Number(fields[1]),
    session: Number(fields[3]),
    startTime: Number(fields[19]),
    isThread: Number(fields[35]) === -1,
    execed: (Number(fields[6]) & FORKED_ONLY) === 0,
  };
}

/** What a process used of the processors since it began, in user and system mode: from /proc/PID/stat, in ns. */
export function processorTime(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 13);
  return fields.length === 13 ? (Number(fields[11]) + Number(fields[12])) * TICK_NS : Number.NaN;
}
