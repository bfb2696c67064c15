import type { Recording } from '../../../model/recording.ts';
import type { RunInfo } from '../../../model/run.ts';
import type { Culprit } from '../culprit.ts';
import type { Shelf } from '../shelf.ts';
import type { Span } from '../span.ts';
import type { Trend } from '../trend.ts';
import { allocator } from './allocator.ts';
import { type Clues, cluesOf } from './clues.ts';
import { copyOnWrite } from './copy-on-write.ts';
import { bytes, figures, fileEvidence, type KindEvidence } from './evidence.ts';
import { native } from './native.ts';
import { profiled } from './profiled.ts';
import { pythonObjects } from './python-objects.ts';
import { type KindRule, type LeakKind, MOST, share } from './rule.ts';
import { SHARED_ADVICE, sharedMemory } from './shared-memory.ts';
import { tensors } from './tensors.ts';

/** What makes it grow, by which figures, and what to do. */
export interface Kind {
  /** null where nothing leaks. */
  readonly kind: LeakKind | null;
  readonly evidence: readonly KindEvidence[];
  readonly advice: readonly string[];
}

/** In order: the first that is shown wins. What leaves no trace inside Python comes last. */
const RULES: readonly KindRule[] = [
  copyOnWrite,
  sharedMemory,
  profiled,
  tensors,
  pythonObjects,
  allocator,
  native,
];

export const NO_KIND: Kind = { kind: null, evidence: [], advice: [] };

/** The kind of a leak that grows while the workload runs, or else of what it left behind. */
export function kindOf(
  recording: Recording,
  span: Span,
  growing: { readonly trend: Trend; readonly culprit: Culprit } | null,
  shelf: Shelf | null,
): Kind {
  const behind = shelf?.verdict === 'leak' ? ofShelf(shelf, recording.run.leftInShm) : null;
  if (!growing) return behind ?? NO_KIND;
  const clues = cluesOf(recording, span, growing.trend, growing.culprit);
  for (const { kind, find } of RULES) {
    const found = find(clues);
    if (found) return { kind, ...found };
  }
  return behind && behind.kind !== 'unknown' ? behind : undecided(clues);
}

function ofShelf({ remains, leakedBytes }: Shelf, files: RunInfo['leftInShm'] = []): Kind {
  if (!remains || leakedBytes === null) return { ...NO_KIND, kind: 'unknown' };
  const { shmemBytes, anonBytes, kernelBytes } = remains;
  const evidence = [
    bytes('Shmem', shmemBytes, 'run'),
    bytes('AnonPages', anonBytes, 'run'),
    bytes('kernel', kernelBytes, 'run'),
  ];
  if (shmemBytes > MOST * leakedBytes) {
    const named = files.map(fileEvidence);
    return { kind: 'shared-memory', evidence: [...named, ...evidence], advice: SHARED_ADVICE };
  }
  const alive = anonBytes > MOST * leakedBytes;
  return {
    kind: 'unknown',
    evidence,
    advice: alive
      ? ['a process of the workload lives on: `ps` shows it; join or end workers and servers']
      : [],
  };
}

function undecided(clues: Clues): Kind {
  const { rates, culprit } = clues;
  const inside = rates.has('python.blocks');
  const mapped = share(clues, 'file') >= MOST;
  const worker = culprit.role !== null && culprit.role !== 'main';
  return {
    kind: 'unknown',
    evidence: figures(clues),
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
