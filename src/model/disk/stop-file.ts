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
import type { StopInfo } from '../stop.ts';
import { STOP_FILE } from './read-stop.ts';

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

function quietly(work: () => void): void {
  try {
    work();
  } catch {}
}
