import { GiB } from '../../base/bytes.ts';
import type { TreeProcess } from './processes-by-pid.ts';

/** A process that holds a context on a card which is another process's. */
export interface StrayContext {
  readonly pid: number;
  readonly role: string;
  readonly rank: number | null;
  readonly bytes: number;
  /** The card where it does its work. */
  readonly ownGpu: number;
}

/** A context with its libraries takes 200–700 MiB; what is larger holds data, and is meant. */
const CONTEXT = GiB;

/**
 * Small holdings of the tree's processes on cards that are the main card of another one: each rank
 * that touches CUDA before it chose its card leaves a context on the first. Largest first, by card.
 */
export function strayContexts(
  most: ReadonlyMap<number, ReadonlyMap<number, number>>,
  tree: ReadonlyMap<number, TreeProcess>,
): ReadonlyMap<number, StrayContext[]> {
  const own = new Map<number, number>();
  for (const [pid, byCard] of most) {
    const [gpu] = [...byCard].sort((a, b) => b[1] - a[1])[0] ?? [];
    if (tree.has(pid) && gpu !== undefined) own.set(pid, gpu);
  }
  const found = new Map<number, StrayContext[]>();
  for (const [pid, ownGpu] of own) {
    const process = tree.get(pid)!;
    const byCard = most.get(pid)!;
    for (const [gpu, bytes] of byCard) {
      const small = bytes <= CONTEXT && bytes <= byCard.get(ownGpu)! / 2;
      const anothers = [...own].some(([other, card]) => other !== pid && card === gpu);
      if (gpu === ownGpu || bytes === 0 || !small || !anothers) continue;
      const stray = { pid, role: process.role, rank: process.rank, bytes, ownGpu };
      found.set(gpu, [...(found.get(gpu) ?? []), stray]);
    }
  }
  for (const strays of found.values()) strays.sort((a, b) => b.bytes - a.bytes || a.pid - b.pid);
  return found;
}
