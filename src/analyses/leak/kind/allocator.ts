import { figures } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';
import { FLAT, type KindRule, MAIN_CAUSE, share } from './rule.ts';

/** Memory that an allocator caches: its free blocks grow, what is allocated from it does not. */
export const allocator: KindRule = {
  kind: 'allocator',
  find: (breakdown) =>
    breakdown.device ? cachedOnDevice(breakdown, breakdown.device) : cachedByMalloc(breakdown),
};

function cachedByMalloc(breakdown: GrowthBreakdown) {
  if (share(breakdown, 'malloc.free') < MAIN_CAUSE || share(breakdown, 'malloc.in_use') > FLAT)
    return null;
  return {
    name: 'memory that malloc keeps free',
    where: null,
    evidence: figures(breakdown),
    advice: [
      'give it back now and then: ctypes.CDLL("libc.so.6").malloc_trim(0), say each epoch',
      'fewer arenas keep less: MALLOC_ARENA_MAX=2 in the environment, or MALLOC_MMAP_THRESHOLD_=65536 and MALLOC_TRIM_THRESHOLD_=131072',
      'batches of ever new sizes leave holes: pad or bucket them; or run under jemalloc (LD_PRELOAD)',
    ],
  };
}

function cachedOnDevice(breakdown: GrowthBreakdown, device: string) {
  const kept = share(breakdown, `${device}.reserved`) - share(breakdown, `${device}.allocated`);
  if (kept < MAIN_CAUSE) return null;
  return {
    name: "free segments of torch's allocator",
    where: device,
    evidence: figures(breakdown),
    advice: [
      'batches of ever new sizes leave holes: pad or bucket them',
      'what expandable_segments:True would save of it, `highwater what-if` tells of a snapshot (torch.cuda.memory._dump_snapshot)',
      'torch.cuda.empty_cache() gives free segments back, at a price: between phases, not each iteration',
    ],
  };
}
