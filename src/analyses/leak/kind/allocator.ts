import type { Clues } from './clues.ts';
import { figures } from './evidence.ts';
import { FLAT, type KindRule, MOST, share } from './rule.ts';

/** What an allocator keeps though nobody uses it: its free memory grows, what it handed out does not. */
export const allocator: KindRule = {
  kind: 'allocator',
  find: (clues) => (clues.device ? onDevice(clues, clues.device) : inMalloc(clues)),
};

function inMalloc(clues: Clues) {
  if (share(clues, 'malloc.free') < MOST || share(clues, 'malloc.in_use') > FLAT) return null;
  return {
    evidence: figures(clues),
    advice: [
      'give it back now and then: ctypes.CDLL("libc.so.6").malloc_trim(0), say each epoch',
      'fewer arenas keep less: MALLOC_ARENA_MAX=2 in the environment, or MALLOC_MMAP_THRESHOLD_=65536 and MALLOC_TRIM_THRESHOLD_=131072',
      'batches of ever new sizes leave holes: pad or bucket them; or run under jemalloc (LD_PRELOAD)',
    ],
  };
}

function onDevice(clues: Clues, device: string) {
  const kept = share(clues, `${device}.reserved`) - share(clues, `${device}.allocated`);
  if (kept < MOST) return null;
  return {
    evidence: figures(clues),
    advice: [
      'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True lets segments grow in place of new ones',
      'batches of ever new sizes leave holes: pad or bucket them, or use max_split_size_mb',
      'torch.cuda.empty_cache() gives free segments back, at a price: between phases, not each iteration',
    ],
  };
}
