import type { Recording } from '../../../model/recording.ts';
import type { Shelf } from '../shelf.ts';
import type { Suspect } from '../suspect.ts';
import type { Trend } from '../trend.ts';
import type { WorkloadSpan } from '../workload-span.ts';
import { allocator } from './allocator.ts';
import { cache } from './cache.ts';
import { copyOnWrite } from './copy-on-write.ts';
import { growthBreakdown } from './growth-breakdown.ts';
import { jsBuffers, jsObjects } from './javascript.ts';
import { leftBehindCause } from './left-behind.ts';
import { moreProcesses } from './more-processes.ts';
import { native } from './native.ts';
import { openFiles } from './open-files.ts';
import { pinned } from './pinned.ts';
import { profiledLayers } from './profiled-layers.ts';
import { pythonObjects } from './python-objects.ts';
import { type KindRule, type LeakCause, NOTHING_KNOWN } from './rule.ts';
import { sharedMemory } from './shared-memory.ts';
import { tensors } from './tensors.ts';
import { threads } from './threads.ts';
import { undecided } from './undecided.ts';

/** In order: the first that is shown wins. What Python's own counters do not show comes last. */
const RULES: readonly KindRule[] = [
  moreProcesses,
  copyOnWrite,
  pinned,
  sharedMemory,
  cache,
  profiledLayers,
  tensors,
  threads,
  openFiles,
  pythonObjects,
  jsObjects,
  jsBuffers,
  allocator,
  native,
];

export const NO_CAUSE: LeakCause = { kind: null, ...NOTHING_KNOWN };

/** The kind of a leak that grows while the workload runs, or else of what it left behind. */
export function leakCause(
  recording: Recording,
  span: WorkloadSpan,
  growing: { readonly trend: Trend; readonly suspect: Suspect } | null,
  shelf: Shelf | null,
): LeakCause {
  const leftBehind = shelf?.verdict === 'leak' ? leftBehindCause(recording, span, shelf) : null;
  if (!growing) return leftBehind ?? NO_CAUSE;
  const breakdown = growthBreakdown(recording, span, growing.trend, growing.suspect);
  for (const { kind, find } of RULES) {
    const found = find(breakdown);
    if (found) return { ...NOTHING_KNOWN, kind, ...found };
  }
  return leftBehind && leftBehind.kind !== 'unknown' ? leftBehind : undecided(breakdown);
}
