import type { Recording } from '../../../model/recording.ts';
import type { RunInfo } from '../../../model/run.ts';
import type { Culprit } from '../culprit.ts';
import type { Shelf } from '../shelf.ts';
import type { Trend } from '../trend.ts';
import type { WorkloadSpan } from '../workload-span.ts';
import { allocator } from './allocator.ts';
import { copyOnWrite } from './copy-on-write.ts';
import { bytes, figures, fileEvidence, type KindEvidence } from './evidence.ts';
import { type GrowthBreakdown, growthBreakdown } from './growth-breakdown.ts';
import { native } from './native.ts';
import { profiledLayers } from './profiled-layers.ts';
import { pythonObjects } from './python-objects.ts';
import { type KindRule, type LeakKind, MAIN_CAUSE, share } from './rule.ts';
import { SHARED_ADVICE, sharedMemory } from './shared-memory.ts';
import { tensors } from './tensors.ts';

/** What makes it grow, by which figures, and what to do. */
export interface LeakCause {
  /** null where nothing leaks. */
  readonly kind: LeakKind | null;
  readonly evidence: readonly KindEvidence[];
  readonly advice: readonly string[];
}

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

export const NO_CAUSE: LeakCause = { kind: null, evidence: [], advice: [] };

/** The kind of a leak that grows while the workload runs, or else of what it left behind. */
export function leakCause(
  recording: Recording,
  span: WorkloadSpan,
  growing: { readonly trend: Trend; readonly culprit: Culprit } | null,
  shelf: Shelf | null,
): LeakCause {
  const leftBehind =
    shelf?.verdict === 'leak' ? causeOfShelf(shelf, recording.run.leftInShm) : null;
  if (!growing) return leftBehind ?? NO_CAUSE;
  const breakdown = growthBreakdown(recording, span, growing.trend, growing.culprit);
  for (const { kind, find } of RULES) {
    const found = find(breakdown);
    if (found) return { kind, ...found };
  }
  return leftBehind && leftBehind.kind !== 'unknown' ? leftBehind : undecided(breakdown);
}

function causeOfShelf(
  { remains, leakedBytes }: Shelf,
  files: RunInfo['leftInShm'] = [],
): LeakCause {
  if (!remains || leakedBytes === null) return { ...NO_CAUSE, kind: 'unknown' };
  const { shmemBytes, anonBytes, kernelBytes } = remains;
  const evidence = [
    bytes('Shmem', shmemBytes, 'run'),
    bytes('AnonPages', anonBytes, 'run'),
    bytes('kernel', kernelBytes, 'run'),
  ];
  if (shmemBytes > MAIN_CAUSE * leakedBytes) {
    const named = files.map(fileEvidence);
    return { kind: 'shared-memory', evidence: [...named, ...evidence], advice: SHARED_ADVICE };
  }
  const alive = anonBytes > MAIN_CAUSE * leakedBytes;
  return {
    kind: 'unknown',
    evidence,
    advice: alive
      ? ['a process of the workload lives on: `ps` shows it; join or end workers and servers']
      : [],
  };
}

function undecided(breakdown: GrowthBreakdown): LeakCause {
  const { rates, culprit } = breakdown;
  const inside = rates.has('python.blocks');
  const mapped = share(breakdown, 'file') >= MAIN_CAUSE;
  const worker = culprit.role !== null && culprit.role !== 'main';
  return {
    kind: 'unknown',
    evidence: figures(breakdown),
    advice: mapped
      ? ['these are pages of mapped files, which the kernel takes back when it needs them']
      : inside
        ? ['several things grow, and none explains most of it: record it for longer']
        : [
            worker
              ? 'nothing is told from inside these processes: with num_workers=0 the same code runs in the main one, where it is'
              : "nothing is told from inside: only programs that take steps of torch's or Keras's optimizers are looked into (docs/injection.md)",
          ],
  };
}
