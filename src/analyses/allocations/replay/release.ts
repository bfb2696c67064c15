import { unmap } from './expandable.ts';
import type { Heap, PoolList } from './heap.ts';

/** Gives a whole free segment back to the driver. */
function giveBack(heap: Heap, block: number): void {
  const { blocks } = heap;
  const size = blocks.size[block]!;
  heap.listOf(block).free.delete(block);
  heap.driver.giveBack(blocks.address[block]!, size);
  blocks.remove(block);
  heap.reserve(-size);
}

/** empty_cache(): all segments of the default pool that nothing is in, and empty pages of those that grow. */
export function releaseCached(heap: Heap): void {
  const { blocks } = heap;
  for (const list of heap.lists) {
    if (list.domain.pool !== 0) continue;
    const pages: number[] = [];
    for (const block of list.free.toArray()) {
      if (blocks.isExpandable(block)) pages.push(block);
      else if (blocks.isWhole(block)) giveBack(heap, block);
    }
    for (const block of pages) unmap(heap, block);
  }
}

/**
 * With a limit of splitting: the smallest unsplit block that is large enough, or several from the largest down. Parts of segments
 * that were there before the trace, which another setting had split, cannot be given back.
 */
export function releaseOversize(heap: Heap, list: PoolList, size: number): boolean {
  const { blocks, conf } = heap;
  if (!Number.isFinite(conf.maxSplitSize)) return false;
  const wanted = Math.max(size, conf.maxSplitSize);
  const { free } = list;
  const canGo = (block: number) => blocks.isWhole(block) && !blocks.isExpandable(block);
  let at = free.firstOfSize(wanted);
  while (at < free.count && !canGo(free.at(at))) at++;
  if (at < free.count) {
    giveBack(heap, free.at(at));
    return true;
  }
  let released = 0;
  const candidates = free.toArray().reverse();
  for (const block of candidates) {
    if (released >= wanted || blocks.size[block]! < conf.maxSplitSize) break;
    if (!canGo(block)) continue;
    released += blocks.size[block]!;
    giveBack(heap, block);
  }
  return released >= wanted;
}

/** Above its share of the limit the allocator gives back the unused large segments that are older than the average. */
export function collectGarbage(heap: Heap): void {
  const { blocks, conf, limit } = heap;
  const allowed = Math.floor(conf.garbageCollectionThreshold * limit!.bytes);
  const wanted = heap.reserved - allowed;
  if (wanted <= 0) return;
  const ageOf = (block: number) => heap.listOf(block).age.lookups - blocks.freeSince[block]!;
  let candidates = heap.lists
    .filter(({ domain, isSmall }) => domain.pool === 0 && !isSmall)
    .flatMap(({ free }) => [...free.toArray()])
    .filter((block) => blocks.isWhole(block) && !blocks.isExpandable(block));
  let released = 0;
  while (released < wanted && candidates.length > 0) {
    const total = candidates.reduce((sum, block) => sum + ageOf(block), 0);
    const average = total / candidates.length;
    const old = candidates.filter((block) => ageOf(block) >= average);
    if (old.length === 0) return;
    candidates = candidates.filter((block) => ageOf(block) < average);
    for (const block of old) {
      released += blocks.size[block]!;
      giveBack(heap, block);
    }
  }
}
