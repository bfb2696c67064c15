import {
  closeSync,
  constants,
  fdatasyncSync,
  openSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../base/checks.ts';
import { FormatError } from '../../base/errors.ts';
import { isStop, type StopInfo } from '../stop.ts';
import type { Files } from './files.ts';

/**
 * `stopped.json`: why a recording ends before what it records does. It is there, blank, from the start, so
 * that a full disk has room for it: what is to be written then replaces bytes that are the file's already.
 * It goes when run.json is whole and says the same.
 */
export const STOP_FILE = 'stopped.json';

/** A block of any disk. */
const FACT_BYTES = 4096;
/** Given up for the last run.json, where a disk has no other room. */
const RESERVE_BYTES = 16_384;
const MAX_WHY = 500;

export function reserveStop(folder: string): void {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  const fd = openSync(join(folder, STOP_FILE), O_CREAT | O_EXCL | O_WRONLY, 0o644);
  try {
    // Blanks that are written: a size alone is no room on a disk.
    const blanks = Buffer.alloc(FACT_BYTES + RESERVE_BYTES, ' ');
    for (let done = 0; done < blanks.length; ) done += writeSync(fd, blanks, done);
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Never throws: where even this cannot be written, the missing end of run.json says enough. */
export function noteStop(folder: string, stop: StopInfo): void {
  const text = JSON.stringify({ ...stop, why: stop.why.slice(0, MAX_WHY) });
  quietly(() => {
    const { O_NOFOLLOW, O_WRONLY } = constants;
    const fd = openSync(join(folder, STOP_FILE), O_WRONLY | O_NOFOLLOW);
    try {
      writeSync(fd, Buffer.from(text.padEnd(FACT_BYTES - 1)), 0, null, 0);
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

/** Makes a little room on a full disk. */
export function freeReserve(folder: string): void {
  quietly(() => truncateSync(join(folder, STOP_FILE), FACT_BYTES));
}

export function removeStop(folder: string): void {
  quietly(() => rmSync(join(folder, STOP_FILE), { force: true }));
}

/** null: there is none, or nothing stands in it. */
export function readStop(files: Files): StopInfo | null {
  try {
    const bytes = files.read(STOP_FILE);
    const said: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
    return isObject(said) && isStop(said) ? (said as unknown as StopInfo) : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FormatError) return null;
    throw error;
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {}
}
