import { readFileSync } from 'node:fs';
import { KiB } from '../../base/bytes.ts';
import { errnoCode } from '../../base/errors.ts';
import { parseMappings } from '../mapping.ts';
import { walkHeap } from './chunks.ts';
import { arenaHeaps, mainHeap, mappedBlocks } from './heaps.ts';
import { ProcessMemory } from './process-memory.ts';

/** What glibc's malloc has in a process, told from outside. */
export interface MallocState {
  /** Bytes of the process's own at the same moment: anonymous, shared and swapped out. */
  readonly held: number;
  /** As `mallinfo2` would tell (`uordblks` + `hblkhd`, `fordblks`). */
  readonly inUse: number;
  readonly free: number;
  /** So much of what is free is held. */
  readonly freeHeld: number;
}

/** Why nothing is told: it may not be read, has ended, has another allocator or one that did not hold still, or would take too long. */
export type Untold = 'denied' | 'ended' | 'unclear' | 'too large';

/** The program runs on while its chunks are gone through: what does not add up is tried again. */
const TRIES = 3;

export function mallocState(
  proc: string,
  pid: number,
  pageSize: number,
  largest = Number.POSITIVE_INFINITY,
): MallocState | Untold {
  let memory: ProcessMemory;
  try {
    memory = new ProcessMemory(proc, pid, pageSize);
  } catch (error) {
    const code = errnoCode(error);
    return code === 'EACCES' || code === 'EPERM' ? 'denied' : 'ended';
  }
  try {
    for (let tried = 0; tried < TRIES; tried++) {
      const state = readOnce(memory, proc, pid, largest);
      if (state) return state;
    }
    return 'unclear';
  } catch (error) {
    // Mappings came and went, or the process did.
    return errnoCode(error) === 'ENOENT' ? 'ended' : 'unclear';
  } finally {
    memory.close();
  }
}

function readOnce(
  memory: ProcessMemory,
  proc: string,
  pid: number,
  largest: number,
): MallocState | 'too large' | null {
  const mappings = parseMappings(readFileSync(`${proc}/${pid}/maps`, 'latin1'));
  const main = mainHeap(mappings, startBrk(readFileSync(`${proc}/${pid}/stat`, 'latin1')));
  const others = arenaHeaps(memory, mappings);
  if (!others || (!main && others.length === 0)) return null;
  const heaps = [...(main ? [main] : []), ...others];
  if (heaps.reduce((sum, { start, end }) => sum + end - start, 0) > largest) return 'too large';
  let [inUse, free, freeHeld] = [mappedBlocks(memory, mappings), 0, 0];
  for (const heap of heaps) {
    const one = walkHeap(memory, heap, memory.pages(heap.start, heap.end));
    if (!one) return null;
    inUse += one.inUse;
    free += one.free;
    freeHeld += one.freeHeld;
  }
  const held = heldBytes(readFileSync(`${proc}/${pid}/status`, 'latin1'));
  return { held, inUse, free, freeHeld };
}

const heldBytes = (status: string): number =>
  [...status.matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm)].reduce(
    (sum, [, kib]) => sum + Number(kib) * KiB,
    0,
  );

/** Field 47 of /proc/PID/stat; 0 where we may not see it. */
const START_BRK = 44;
const startBrk = (stat: string): number =>
  Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_BRK] ?? 0);
