import { NONE, STATE } from './blocks.ts';
import { growSegment } from './expandable.ts';
import type { Heap, PoolList } from './heap.ts';
import { collectGarbage, releaseCached, releaseOversize } from './release.ts';
import { LEAST, rounded, SMALL, segmentSize } from './rounding.ts';

/** Called before everything is given back: blocks that other streams still held are waited for. */
export type Wait = () => void;

/** Serves a request as PyTorch's allocator does, step by step; NONE: out of memory. */
export function allocate(heap: Heap, domain: number, requested: number, wait: Wait): number {
  const size = rounded(heap.conf, requested);
  const number = 2 * domain + (size <= SMALL ? 0 : 1);
  const list = heap.lists[number]!;
  const at = bestFit(heap, list, size);
  if (at !== NONE) return use(heap, list, list.free.at(at), size, at);
  heap.beforeFetch?.(segmentSize(heap.conf, size));
  if (heap.collectsGarbage) collectGarbage(heap);
  let block = fetch(heap, number, size);
  if (block === NONE && releaseOversize(heap, list, size)) block = fetch(heap, number, size);
  // While a graph is captured nothing may be waited for.
  if (block === NONE && list.domain.pool === 0) {
    wait();
    releaseCached(heap);
    heap.noteRetry();
    block = fetch(heap, number, size);
  }
  if (block === NONE) return NONE;
  return use(heap, list, block, size, NONE);
}

/** Where the block stands that serves a request; NONE: there is none. */
function bestFit(heap: Heap, list: PoolList, size: number): number {
  const { blocks, conf } = heap;
  if (heap.collectsGarbage) list.age.lookups++;
  const { free } = list;
  let at = free.firstOfSize(size);
  if (at >= free.count) return NONE;
  if (blocks.isExpandable(free.at(at))) {
    if (conf.expandableSegments) {
      // A block that can grow counts with the size it can grow to.
      while (
        at + 1 < free.count &&
        blocks.isExpandable(free.at(at)) &&
        grownSize(heap, free.at(at + 1)) < grownSize(heap, free.at(at))
      ) {
        at++;
      }
    } else {
      do at++;
      while (at < free.count && blocks.isExpandable(free.at(at)));
      if (at >= free.count) return NONE;
    }
  }
  const block = free.at(at);
  const found = blocks.size[block]!;
  if (
    size < conf.maxSplitSize ? found >= conf.maxSplitSize : found >= size + conf.maxNonSplitRounding
  ) {
    return NONE;
  }
  return at;
}

function grownSize({ blocks }: Heap, block: number): number {
  const next = blocks.after[block]!;
  const room = next !== NONE && blocks.state[next] === STATE.unmapped ? blocks.size[next]! : 0;
  return blocks.size[block]! + room;
}

/** A new segment, or more pages of one that grows; NONE: refused. */
function fetch(heap: Heap, number: number, size: number): number {
  const bytes = segmentSize(heap.conf, size);
  const { expandableSegments } = heap.conf;
  const asks = heap.limit?.by === 'fraction' || !expandableSegments;
  if (asks && heap.refuses(bytes)) return NONE;
  if (expandableSegments) return growSegment(heap, number, size);
  const block = heap.blocks.add(number, heap.driver.take(bytes, heap.event), bytes, Number.NaN);
  heap.reserve(bytes);
  return block;
}

/** Marks a block as used, and splits off what is too much of it. `at`: where it stands among the free ones; NONE: it is new. */
function use(heap: Heap, list: PoolList, found: number, size: number, at: number): number {
  const { blocks, conf } = heap;
  const rest = blocks.size[found]! - size;
  const splits =
    list.isSmall || conf.expandableSegments
      ? rest >= LEAST
      : size < conf.maxSplitSize && rest > SMALL;
  let block = found;
  if (splits) {
    block = blocks.add(
      blocks.list[found]!,
      blocks.address[found]!,
      size,
      blocks.expandable[found]!,
    );
    blocks.splice(block, blocks.before[found]!, found);
    blocks.address[found] = blocks.address[found]! + size;
    blocks.size[found] = rest;
    if (at === NONE) heap.addFree(found);
    else heap.replaceFree(at, found);
  } else if (at !== NONE) list.free.deleteAt(at);
  blocks.state[block] = STATE.used;
  heap.active += blocks.size[block]!;
  if (heap.active > heap.activePeak) heap.activePeak = heap.active;
  return block;
}
