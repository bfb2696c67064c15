import type { KindEvidence } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';

/** What makes the memory grow. */
export type LeakKind =
  | 'tensors'
  | 'cache'
  | 'python-objects'
  | 'js-objects'
  | 'js-buffers'
  | 'native'
  | 'allocator'
  | 'copy-on-write'
  | 'shared-memory'
  | 'pinned'
  | 'threads'
  | 'open-files'
  | 'surviving-process'
  | 'more-processes'
  | 'unknown';

/** Why it is of that kind, and what to do, in plain words. */
export interface KindFinding {
  /** What it is that grows, by the best name there is for it: `list of 120 in losses of __main__`. */
  readonly name: string | null;
  /** `train.py:12`, `__main__.losses`; null where it is not known. */
  readonly where: string | null;
  readonly evidence: readonly KindEvidence[];
  readonly advice: readonly string[];
}

/** What makes it grow, or what was left behind, by which figures, and what to do. */
export interface LeakCause extends KindFinding {
  /** null where nothing leaks; of growth that may level off, what it is that grows. */
  readonly kind: LeakKind | null;
  /** The process that was left behind: `server 1 (pid 4711)`. */
  readonly process: string | null;
}

export const NOTHING_KNOWN = { name: null, where: null, process: null, evidence: [], advice: [] };

export interface KindRule {
  readonly kind: LeakKind;
  /** null: it is not shown to be of this kind. */
  find(breakdown: GrowthBreakdown): KindFinding | null;
}

/** A cause explains at least this share of the growth … */
export const MAIN_CAUSE = 0.5;
/** … an estimate of it from a sample somewhat less … */
export const ESTIMATED_CAUSE = 0.35;
/** … and what is flat, less than this. */
export const FLAT = 0.25;

/** How much of the growth something explains; 0 where it was not measured. */
export const share = ({ rates, growth }: GrowthBreakdown, name: string): number =>
  (rates.get(name) ?? 0) / growth;

/**
 * The growth without what malloc keeps free: blocks that stay for ever leave holes between them, so
 * that a leak of whatever kind makes malloc's free memory grow too.
 */
export const growthInUse = (breakdown: GrowthBreakdown): number =>
  breakdown.growth * Math.max(FLAT, 1 - Math.max(0, share(breakdown, 'malloc.free')));

/** Whether something whose number grows explains it: each has a plausible part of the growth, and no container has it. */
export function onlyByNumber(
  breakdown: GrowthBreakdown,
  name: string,
  each: { readonly least: number; readonly most: number },
): boolean {
  const more = breakdown.rates.get(name) ?? 0;
  if (breakdown.device || more <= 0) return false;
  const bytes = breakdown.growth / more;
  const inContainers = breakdown.containers.reduce(
    (most, { bytesRate }) => Math.max(most, bytesRate),
    0,
  );
  return (
    bytes >= each.least &&
    bytes <= each.most &&
    inContainers < ESTIMATED_CAUSE * growthInUse(breakdown)
  );
}

/** Python's own allocator hands out blocks of at most this many bytes; larger ones come from malloc. */
const LARGEST_BLOCK = 512;

/** The most that Python's small objects can have grown by. */
export const mostInBlocks = ({ rates }: GrowthBreakdown): number =>
  Math.max(0, rates.get('python.blocks') ?? 0) * LARGEST_BLOCK;
