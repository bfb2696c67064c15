import { type FSWatcher, readdirSync, readFileSync, readlinkSync, statSync, watch } from 'node:fs';

/** Files in shared memory of one kind that appeared while a workload ran and stayed: `torch_*`. */
export interface ShmLeft {
  pattern: string;
  files: number;
  bytes: number;
  /** Of these, bytes of files that a process of the workload was seen to have open or mapped. */
  seenBytes: number;
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

/** What is there now and was not before, the most memory first; `seen`: keys of files that the workload used. */
export function shmLeft(
  before: ReadonlyMap<string, number>,
  folder = FOLDER,
  seen: ReadonlySet<string> = new Set(),
): ShmLeft[] {
  const left = new Map<string, ShmLeft>();
  for (const [key, bytes] of shmFiles(folder)) {
    if (before.has(key)) continue;
    const pattern = patternOf(key.slice(0, key.indexOf('\0')));
    const group = left.get(pattern) ?? { pattern, files: 0, bytes: 0, seenBytes: 0 };
    left.set(pattern, {
      pattern,
      files: group.files + 1,
      bytes: group.bytes + bytes,
      seenBytes: group.seenBytes + (seen.has(key) ? bytes : 0),
    });
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

/** A file is there before its maker is known to be the workload's. */
const LOOK_MS = 20;
/** Each look reads the descriptors of every process: a program that makes files all the time is not looked at for each. */
const REST_MS = 500;

/**
 * Sees whose the files are that appear in /dev/shm: those that a process of the workload has open or mapped. It is told
 * by the kernel when there is something to look at, and costs nothing until then.
 */
export class ShmWatch {
  readonly before: ReadonlyMap<string, number>;
  readonly seen = new Set<string>();
  readonly #folder: string;
  readonly #pids: () => Iterable<number>;
  readonly #proc: string;
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | undefined;
  #rested = 0;

  constructor(pids: () => Iterable<number>, folder = FOLDER, proc = '/proc') {
    this.before = shmFiles(folder);
    this.#pids = pids;
    this.#folder = folder;
    this.#proc = proc;
    try {
      this.#watcher = watch(folder, () => this.#lookSoon());
      this.#watcher.on('error', () => this.#watcher?.close());
      this.#watcher.unref();
    } catch {} // No more watches, or no such folder: then nothing is seen.
  }

  /** What was left; nothing is watched any longer. */
  end(): ShmLeft[] {
    this.#look();
    this.#watcher?.close();
    clearTimeout(this.#timer);
    return shmLeft(this.before, this.#folder, this.seen);
  }

  #lookSoon(): void {
    if (this.#timer) return;
    const wait = Math.max(LOOK_MS, this.#rested - performance.now());
    this.#timer = setTimeout(() => this.#look(), wait);
    this.#timer.unref();
  }

  #look(): void {
    this.#timer = undefined;
    this.#rested = performance.now() + REST_MS;
    const fresh = new Map<string, string>();
    for (const key of shmFiles(this.#folder).keys()) {
      if (this.before.has(key) || this.seen.has(key)) continue;
      fresh.set(`${this.#folder}/${key.slice(0, key.indexOf('\0'))}`, key);
    }
    if (fresh.size === 0) return;
    for (const pid of this.#pids()) {
      for (const path of openFiles(`${this.#proc}/${pid}`)) {
        const key = fresh.get(path);
        if (key) this.seen.add(key);
      }
    }
  }
}

/** Paths that a process has open or mapped; none where it is gone or not ours to read. */
function openFiles(process: string): string[] {
  const found: string[] = [];
  for (const fd of namesIn(`${process}/fd`)) {
    try {
      found.push(readlinkSync(`${process}/fd/${fd}`));
    } catch {} // Closed meanwhile.
  }
  try {
    const maps = readFileSync(`${process}/maps`, 'latin1');
    for (const [, path] of maps.matchAll(/ (\/.+)$/gm)) found.push(path!);
  } catch {}
  return found;
}
