import { readdirSync, statSync } from 'node:fs';

/** Files in shared memory of one kind that appeared while a workload ran and stayed: `torch_*`. */
export interface ShmLeft {
  pattern: string;
  files: number;
  bytes: number;
}

const FOLDER = '/dev/shm';
const MOST_FILES = 10_000;
const MOST_PATTERNS = 20;

/** Name and number of each file of this user in /dev/shm, with the memory that it takes. */
export function shmFiles(folder = FOLDER): Map<string, number> {
  const found = new Map<string, number>();
  for (const name of namesIn(folder).slice(0, MOST_FILES)) {
    try {
      const { ino, blocks, uid } = statSync(`${folder}/${name}`);
      // Another file of the same name has another number.
      if (uid === process.getuid?.()) found.set(`${name}\0${ino}`, blocks * 512);
    } catch {
      // Gone meanwhile.
    }
  }
  return found;
}

/** What is there now and was not before, the most memory first. */
export function shmLeft(before: ReadonlyMap<string, number>, folder = FOLDER): ShmLeft[] {
  const left = new Map<string, ShmLeft>();
  for (const [key, bytes] of shmFiles(folder)) {
    if (before.has(key)) continue;
    const pattern = patternOf(key.slice(0, key.indexOf('\0')));
    const group = left.get(pattern) ?? { pattern, files: 0, bytes: 0 };
    left.set(pattern, { pattern, files: group.files + 1, bytes: group.bytes + bytes });
  }
  return [...left.values()].sort((a, b) => b.bytes - a.bytes).slice(0, MOST_PATTERNS);
}

/** Up to the first number or random part: `torch_4711_22_0` is one of `torch_*`. */
function patternOf(name: string): string {
  const stem = /^[A-Za-z.]+[_-]?/.exec(name)?.[0] ?? '';
  return stem === name ? name : `${stem}*`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
