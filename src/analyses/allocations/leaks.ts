import { releasedAt } from '../../model/allocations/lifetimes.ts';
import type { Frame } from '../../model/allocations/names.ts';
import type { TraceSurvey } from './evidence/survey.ts';
import { goesOn, hasEnded, thirdsOf } from './level-growth.ts';
import type { StepBytes } from './step-bytes.ts';
import { describeStack } from './top-stacks.ts';

/** Whether memory grows from step to step, measured where each step begins. */
export interface AllocationLeak {
  /**
   * leak: live bytes grow step after step, to the last. cache: only what the allocator holds grows. warm-up:
   * growth that ended. unknown: too few steps to tell, or growth that is neither shown nor over.
   */
  readonly verdict: 'leak' | 'cache' | 'warm-up' | 'none' | 'unknown';
  /** Steps compared, the first left out as it makes what stays (optimizer state). */
  readonly steps: number;
  readonly requestedPerStep: number | null;
  readonly reservedPerStep: number | null;
  /** More than this a step it did not grow by in the last two thirds; null with too few steps. */
  readonly boundPerStep: number | null;
  /** Who made what stayed, the largest growth first. */
  readonly stacks: readonly LeakingStack[];
}

export interface LeakingStack {
  readonly bytesPerStep: number;
  readonly bytes: number;
  readonly allocations: number;
  readonly where: string;
  readonly frames: readonly Frame[];
  /** The row of `stacks`. */
  readonly stack: number;
}

/** Fewer say nothing: three points always lie near some line. */
const FEWEST_STEPS = 4;
/** A cache that grows by less than this share of what is live, a step, does not matter. */
const CACHE_NOISE = 0.0005;
/** Of all steps: one that failed, or was cut off, may have left nothing. */
const NEARLY_ALL = 0.9;
const MOST_STACKS = 5;

export function leaks(survey: TraceSurvey, levels: StepBytes): AllocationLeak {
  const { steps } = survey;
  const whole = Math.max(0, steps.count - 1);
  if (whole < FEWEST_STEPS) {
    const none = { requestedPerStep: null, reservedPerStep: null, boundPerStep: null };
    return { verdict: 'unknown', steps: whole, ...none, stacks: [] };
  }
  // The start of step 1 is the first that knows everything a step leaves behind.
  const requested = thirdsOf(levels.startRequested.subarray(1));
  const reserved = thirdsOf(levels.startReserved.subarray(1));
  const facts = {
    steps: whole,
    requestedPerStep: requested.each,
    reservedPerStep: reserved.each,
    boundPerStep: requested.atMost,
  };
  const kept = keptByStack(survey);
  // Where batches of many sizes hide it in the sum, what one line leaves in step after step still shows.
  const inAll = [...kept.values()].filter((group) => group.steps.size >= NEARLY_ALL * (whole - 1));
  const stacks = goesOn(requested) || inAll.length > 0 ? leakingStacks(survey, kept) : [];
  if (stacks.length > 0) {
    const requestedPerStep = goesOn(requested)
      ? requested.each
      : inAll.reduce((sum, { bytes }) => sum + bytes, 0) / (whole - 1);
    return { verdict: 'leak', ...facts, requestedPerStep, stacks };
  }
  const keptOf = new Set([...kept.values()].flatMap((group) => [...group.steps]));
  if (!hasEnded(requested) && isSpread(keptOf, steps.count))
    return { verdict: 'unknown', ...facts, stacks };
  const floor = requested.levels[0]! * CACHE_NOISE * requested.third;
  if (goesOn(reserved) && reserved.last - reserved.middle > floor)
    return { verdict: 'cache', ...facts, stacks };
  const grew = requested.last > requested.levels[0]!;
  return { verdict: grew ? 'warm-up' : 'none', ...facts, stacks };
}

interface Kept {
  bytes: number;
  rows: number;
  readonly steps: Set<number>;
}

/** What steps made that is still there when the last one begins. */
function keptByStack({ life, steps }: TraceSurvey): Map<number, Kept> {
  const [from, to] = [steps.start[1]!, steps.start[steps.count - 1]!];
  const groups = new Map<number, Kept>();
  for (let row = 0, step = 0; row < life.allocs; row++) {
    const start = life.start[row]!;
    while (step + 1 < steps.count && steps.start[step + 1]! <= start) step++;
    if (start < from || start >= to || releasedAt(life, row) <= to) continue;
    let group = groups.get(life.stack[row]!);
    if (!group) {
      group = { bytes: 0, rows: 0, steps: new Set() };
      groups.set(life.stack[row]!, group);
    }
    group.bytes += life.size[row]!;
    group.rows++;
    group.steps.add(step);
  }
  return groups;
}

function leakingStacks(
  { steps, recording }: TraceSurvey,
  kept: ReadonlyMap<number, Kept>,
): LeakingStack[] {
  return [...kept]
    .filter(([, group]) => isSpread(group.steps, steps.count))
    .sort((a, b) => b[1].bytes - a[1].bytes)
    .slice(0, MOST_STACKS)
    .map(([stack, { bytes, rows }]) => ({
      bytesPerStep: bytes / (steps.count - 2),
      bytes,
      allocations: rows,
      ...describeStack(recording, stack),
      stack,
    }));
}

/** Steps of each third: what a window of the latest steps keeps is let go in its turn, and a single step is no leak. */
function isSpread(found: ReadonlySet<number>, count: number): boolean {
  const span = count - 2;
  const thirds = new Set([...found].map((step) => Math.floor(((step - 1) / span) * 3)));
  return found.size > 1 && thirds.size === Math.min(3, span);
}
