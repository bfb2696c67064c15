import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { getHeapStatistics, writeHeapSnapshot } from 'node:v8';
import { checkHeadroom, headroomFor } from '../../sources/inspector/headroom.ts';
import { restoreYoung, young } from './young.ts';

/** So long a recorder may take to note that what comes is our work, and so long its threads take to hear of it. */
const HEED_MS = 1000;
const HEARD_MS = 20;
const LOOK_MS = 2;

interface DumpOptions {
  readonly file?: unknown;
  /** Take it although memory may not suffice. */
  readonly force?: unknown;
  /** Whether the recorder says, by a file, that it has noted the beginning. */
  readonly heeded?: unknown;
}

/**
 * Writes the heap of this program into a file, as a recorder asks. The program stands still meanwhile. No inspector is opened for it,
 * which would listen on a port and write onto the program's error stream; and no fork is made, as V8 keeps its heap out of them.
 */
export function dumpHeap(options: object, send: (message: object) => void) {
  const { file, force, heeded } = options as DumpOptions;
  if (typeof file !== 'string') throw new Error('no file was named');
  const heapBytes = process.memoryUsage().heapUsed;
  if (force !== true) checkHeadroom(headroomFor(process.pid, heapBytes), heapBytes);
  const began = performance.now();
  const own = (fields: object) =>
    send({ type: 'own', time: Number(process.hrtime.bigint()), ...fields });
  const before = sizes();
  own({ begins: true });
  try {
    if (heeded === true) waitFor(`${file}.go`);
    written(file);
    restoreYoung(before.young);
  } finally {
    const after = sizes();
    // What V8's heap has gained is the program's to use; the rest was ours, and stays with malloc.
    const left = after.rss - before.rss - (after.heap - before.heap);
    own({ begins: false, left });
  }
  const pauseMs = performance.now() - began;
  return { file, bytes: statSync(file).size, heapBytes, version: process.version, pauseMs };
}

const sizes = () => ({
  rss: process.memoryUsage.rss(),
  heap: getHeapStatistics().total_physical_size,
  young: young(),
});

/** Under another name until it is whole, and readable for nobody else: a heap holds texts of the program. */
function written(file: string): void {
  const part = `${file}.part`;
  closeSync(openSync(part, 'wx', 0o600));
  try {
    writeHeapSnapshot(part);
    if (lastByte(part) !== '}') throw new Error('the heap could not be written whole');
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Where a disk is full, not every Node says so. */
function lastByte(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const byte = Buffer.alloc(1);
    readSync(fd, byte, 0, 1, Math.max(0, statSync(path).size - 1));
    return byte.toString('latin1');
  } finally {
    closeSync(fd);
  }
}

/** The program must not go on meanwhile: what it gains is its own. */
function waitFor(path: string): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const end = performance.now() + HEED_MS;
  while (!existsSync(path) && performance.now() < end) Atomics.wait(sleeper, 0, 0, LOOK_MS);
  Atomics.wait(sleeper, 0, 0, HEARD_MS);
}
