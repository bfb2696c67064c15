import type { Recording } from '../../../model/recording.ts';
import type { Shelf } from '../shelf.ts';
import type { Suspect } from '../suspect.ts';
import type { Trend } from '../trend.ts';
import type { WorkloadSpan } from '../workload-span.ts';
import { allocator } from './allocator.ts';
import { copyOnWrite } from './copy-on-write.ts';
import { figures } from './evidence.ts';
import { type GrowthBreakdown, growthBreakdown } from './growth-breakdown.ts';
import { leftBehindCause } from './left-behind.ts';
import { native } from './native.ts';
import { profiledLayers } from './profiled-layers.ts';
import { pythonObjects } from './python-objects.ts';
import { type KindRule, type LeakCause, MAIN_CAUSE, NOTHING_KNOWN, share } from './rule.ts';
import { sharedMemory } from './shared-memory.ts';
import { tensors } from './tensors.ts';

/** In order: the first that is shown wins. What Python's own counters do not show comes last. */
const RULES: readonly KindRule[] = [
  copyOnWrite,
  sharedMemory,
  profiledLayers,
  tensors,
  pythonObjects,
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

function undecided(breakdown: GrowthBreakdown): LeakCause {
  const { rates, suspect } = breakdown;
  const inside = rates.has('python.blocks');
  const mapped = share(breakdown, 'file') >= MAIN_CAUSE;
  const loader = suspect.role === 'data loader';
  return {
    ...NOTHING_KNOWN,
    kind: 'unknown',
    name: mostGrowing(breakdown),
    evidence: figures(breakdown),
    advice: mapped
      ? ['these are pages of mapped files, which the kernel takes back when it needs them']
      : inside
        ? ['several things grow, and none explains most of it: record it for longer']
        : [
            loader
              ? 'nothing is told from inside these processes: with num_workers=0 the same code runs in the main one, where it is'
              : "nothing is told from inside: only programs that take steps of torch's or Keras's optimizers are looked into (docs/injection.md)",
          ],
  };
}

/** What a process's memory is made of, by the kernel's own words for it. */
const PARTS = { anon: 'private memory', file: 'pages of mapped files', shmem: 'shared memory' };

function mostGrowing({ rates, growth }: GrowthBreakdown): string | null {
  const parts = Object.entries(PARTS).map(([part, words]) => ({
    words,
    rate: rates.get(part) ?? 0,
  }));
  const [most] = parts.sort((a, b) => b.rate - a.rate);
  return most && most.rate >= MAIN_CAUSE * growth ? most.words : null;
}
