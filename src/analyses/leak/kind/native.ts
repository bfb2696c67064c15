import { figures } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';
import { FLAT, growthInUse, type KindRule, MAIN_CAUSE, mostInBlocks, share } from './rule.ts';

/** Memory that no object of Python accounts for: of a C extension, or a library below it. */
export const native: KindRule = {
  kind: 'native',
  find(breakdown) {
    if (breakdown.device || !breakdown.rates.has('python.blocks')) return null;
    // Tensors lie in malloc's blocks too: where they were not looked at twice, nobody knows whose the blocks are.
    if (breakdown.program.torch && !breakdown.rates.has('tensors.bytes')) return null;
    const inMalloc =
      (breakdown.rates.get('malloc.in_use') ?? 0) >= MAIN_CAUSE * growthInUse(breakdown);
    const mapped = isMapped(breakdown) && mostInBlocks(breakdown) < FLAT * breakdown.growth;
    if (!inMalloc && !mapped) return null;
    if (maybeHeld(breakdown)) return null;
    return {
      name: inMalloc ? "malloc'd blocks" : 'private memory mapped past malloc',
      where: null,
      evidence: figures(breakdown),
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

/** New blocks of Python's per iteration or second from which on objects may hold it, as arrays do their numbers. */
const FEW_BLOCKS = 0.2;

/** A walk from the program's names sees much, but not all: where Python's objects grow in number too, one of them may hold it. */
const maybeHeld = ({ rates }: GrowthBreakdown): boolean =>
  rates.has('looks.taken') && (rates.get('python.blocks') ?? 0) >= FEW_BLOCKS;

/** Private memory grows, and neither malloc nor Python has it. */
function isMapped(breakdown: GrowthBreakdown): boolean {
  const known = breakdown.rates.has('malloc.in_use') && breakdown.rates.has('anon');
  return known && share(breakdown, 'anon') - share(breakdown, 'malloc.free') >= MAIN_CAUSE;
}
