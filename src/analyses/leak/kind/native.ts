import type { Clues } from './clues.ts';
import { figures } from './evidence.ts';
import { FLAT, held, type KindRule, MOST, mostInBlocks, share } from './rule.ts';

/** Memory that no object of Python accounts for: of a C extension, or a library below it. */
export const native: KindRule = {
  kind: 'native',
  find(clues) {
    if (clues.device || !clues.rates.has('python.blocks')) return null;
    const inMalloc = (clues.rates.get('malloc.in_use') ?? 0) >= MOST * held(clues);
    const mapped = isMapped(clues) && mostInBlocks(clues) < FLAT * clues.growth;
    if (!inMalloc && !mapped) return null;
    return {
      evidence: figures(clues),
      advice: [
        "neither Python's objects nor tensors grow with it: look at C extensions and libraries (decoders, tokenizers, ctypes, cffi), a free() or close() that is not called",
        inMalloc
          ? 'to find the caller: heaptrack, or memray run --native, around a few hundred iterations'
          : 'it did not come through malloc: a library with an allocator of its own, or mmap; strace -k -e trace=mmap names the caller',
        'leave libraries out one by one (the decoder, augmentation, logging) and compare the growth with `highwater compare`',
      ],
    };
  },
};

/** Private memory grows, and neither malloc nor Python has it. */
function isMapped(clues: Clues): boolean {
  const known = clues.rates.has('malloc.in_use') && clues.rates.has('anon');
  return known && share(clues, 'anon') - share(clues, 'malloc.free') >= MOST;
}
