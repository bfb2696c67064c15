import { readdirSync, readlinkSync } from 'node:fs';
import type { Machine } from '../../source.ts';

/** A server may have tens of thousands; the driver's are opened early. */
const MOST_FILES = 1024;

/** The minor numbers of the NVIDIA cards (/dev/nvidiaN) whose device file a process holds open. */
export function openedMinors(machine: Machine, pid: number): Set<number> {
  const folder = `${machine.proc}/${pid}/fd`;
  const minors = new Set<number>();
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch {
    return minors; // It is gone, or somebody else's.
  }
  for (const file of files.slice(0, MOST_FILES)) {
    try {
      const match = /^\/dev\/nvidia(\d+)$/.exec(readlinkSync(`${folder}/${file}`));
      if (match) minors.add(Number(match[1]));
    } catch {} // closed in the meantime
  }
  return minors;
}
