import { type RegionState, stateAt } from '../../model/allocations/state.ts';
import { type Advice, allocatorAdvice } from './advice.ts';
import type { Category } from './evidence/reasons.ts';
import { reasonsOf } from './evidence/row-reasons.ts';
import type { TraceSurvey } from './evidence/survey.ts';
import { describeStack } from './top-stacks.ts';

/** Memory that the allocator held and the program could not use, at the peak or when memory ran out. */
export interface Fragmentation {
  readonly event: number;
  readonly when: 'peak' | 'oom';
  readonly reservedBytes: number;
  readonly requestedBytes: number;
  /** Holes in segments that a live block keeps from being given back. */
  readonly pinnedBytes: number;
  /** Segments without any live block: cache, given back when memory runs out. */
  readonly cachedBytes: number;
  readonly largestHoleBytes: number;
  /** What could not be served, when memory ran out. */
  readonly failedRequestBytes: number | null;
  /** Segments with the most pinned bytes. */
  readonly segments: readonly PinnedSegment[];
  readonly others: { readonly count: number; readonly pinnedBytes: number };
  readonly advice: readonly Advice[];
}

export interface PinnedSegment {
  /** Hexadecimal, as in other tools. */
  readonly address: string;
  readonly bytes: number;
  readonly liveBytes: number;
  readonly liveBlocks: number;
  readonly pinnedBytes: number;
  readonly largestHoleBytes: number;
  /** Its largest live block. */
  readonly holder: { readonly bytes: number; readonly category: Category; readonly where: string };
}

const MOST_SEGMENTS = 5;

export function fragmentation(
  survey: TraceSurvey,
  moment: { event: number; when: 'peak' | 'oom'; failed: number | null },
  live: Uint32Array,
): Fragmentation {
  const { life, recording, trace, bytes: totals } = survey;
  const reasonOf = reasonsOf(survey);
  const uses = stateAt(trace, moment.event).regions.map((region) => segmentUse(survey, region));
  const pinned = uses
    .filter(({ blocks, live: used, size }) => blocks > 0 && used < size)
    .sort((a, b) => freeBytes(b) - freeBytes(a));
  const sum = (list: readonly SegmentUse[], of: (use: SegmentUse) => number) =>
    list.reduce((bytes, use) => bytes + of(use), 0);
  const shown = pinned.slice(0, MOST_SEGMENTS);
  const facts = {
    event: moment.event,
    when: moment.when,
    reservedBytes: sum(uses, ({ size }) => size),
    requestedBytes: live.reduce((bytes, row) => bytes + life.size[row]!, 0),
    pinnedBytes: sum(pinned, freeBytes),
    cachedBytes: sum(
      uses.filter(({ blocks }) => blocks === 0),
      ({ size }) => size,
    ),
    largestHoleBytes: uses.reduce((most, use) => Math.max(most, use.largestHole), 0),
    failedRequestBytes: moment.failed,
  };
  return {
    ...facts,
    segments: shown.map((use) => ({
      address: `0x${use.address.toString(16)}`,
      bytes: use.size,
      liveBytes: use.live,
      liveBlocks: use.blocks,
      pinnedBytes: freeBytes(use),
      largestHoleBytes: use.largestHole,
      holder: {
        bytes: life.size[use.holder]!,
        category: reasonOf(use.holder).category,
        where: describeStack(recording, life.stack[use.holder]!).where,
      },
    })),
    others: {
      count: pinned.length - shown.length,
      pinnedBytes: sum(pinned.slice(MOST_SEGMENTS), freeBytes),
    },
    advice: allocatorAdvice(recording, trace, totals),
  };
}

interface SegmentUse {
  readonly address: number;
  readonly size: number;
  /** Bytes of its live blocks. */
  readonly live: number;
  readonly blocks: number;
  readonly largestHole: number;
  /** The row of its largest live block; -1 without any. */
  readonly holder: number;
}

function segmentUse(
  { life }: TraceSurvey,
  { address, size, blocks, holes }: RegionState,
): SegmentUse {
  let holder = -1;
  for (const { row } of blocks) {
    if (holder < 0 || life.size[row]! > life.size[holder]!) holder = row;
  }
  const free = holes.reduce((sum, hole) => sum + hole.size, 0);
  const largestHole = holes.reduce((most, hole) => Math.max(most, hole.size), 0);
  return { address, size, live: size - free, blocks: blocks.length, largestHole, holder };
}

const freeBytes = ({ size, live }: SegmentUse) => size - live;
