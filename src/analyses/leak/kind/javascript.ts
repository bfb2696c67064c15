import { figures } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';
import { type KindFinding, type KindRule, MAIN_CAUSE, share } from './rule.ts';

const HEAPS =
  '`highwater record --heap 3 -- …` takes three heaps on the way: which objects grow, and who holds them';

/** What V8's collections leave grows: objects of its heap for the most part … */
export const jsObjects: KindRule = {
  kind: 'js-objects',
  find: (breakdown) =>
    isHeld(breakdown) && ofHeap(breakdown) >= ofBuffers(breakdown)
      ? finding(breakdown, "objects of V8's heap", [
          HEAPS,
          'look for a map, list or cache that is never cleared, listeners that stay, timers and promises that never end',
        ])
      : null,
};

/** … or buffers that objects hold from there. */
export const jsBuffers: KindRule = {
  kind: 'js-buffers',
  find: (breakdown) =>
    isHeld(breakdown)
      ? finding(breakdown, "buffers outside of V8's heap", [
          HEAPS,
          'buffers lie outside of the heap, but what holds them is in it; a small slice keeps the whole buffer: Buffer.from(slice) copies it',
        ])
      : null,
};

const ofHeap = (breakdown: GrowthBreakdown) => share(breakdown, 'v8.held_heap');
const ofBuffers = (breakdown: GrowthBreakdown) => share(breakdown, 'v8.held_external');
const isHeld = (breakdown: GrowthBreakdown): boolean =>
  !breakdown.device && ofHeap(breakdown) + ofBuffers(breakdown) >= MAIN_CAUSE;

const finding = (
  breakdown: GrowthBreakdown,
  name: string,
  advice: readonly string[],
): KindFinding => ({ name, where: null, evidence: figures(breakdown), advice });
