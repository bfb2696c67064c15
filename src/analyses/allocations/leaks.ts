import { median } from '../../base/stats.ts';
import { releasedAt } from '../../model/allocations/lifetimes.ts';
import type { Frame } from '../../model/allocations/names.ts';
import type { TraceSurvey } from './evidence/survey.ts';
import type { StepBytes } from './step-bytes.ts';
import { describeStack } from './top-stacks.ts';

/** Whether memory grows from step to step, measured where each step begins. */
export interface AllocationLeak {
  /**
   * leak: live bytes grow step after step. cache: only what the allocator holds grows. warm-up:
   * growth that ended. unknown: too few steps to tell.
   */
  readonly verdict: 'leak' | 'cache' | 'warm-up' | 'none' | 'unknown';
  /** Steps compared, the first left out as it makes what stays (optimizer state). */
  readonly steps: number;
  readonly requestedPerStep: number | null;
  readonly reservedPerStep: number | null;
  /** Who made what stayed, the largest growth first. */
  readonly stacks: readonly LeakingStack[];
}

export interface LeakingStack {
  readonly bytesPerStep: number;
  readonly bytes: number;
  readonly allocations: number;
  readonly where: string;
  readonly frames: readonly Frame[];
}

/** Fewer say nothing: three points always lie near some line. */
const FEWEST_STEPS = 4;
/** Growth of a step below this share of what is live does not matter. */
const NOISE = 0.0005;
const MOST_STACKS = 5;

export function leaks(survey: TraceSurvey, levels: StepBytes): AllocationLeak {
  const { steps } = survey;
  const whole = steps.count - 1;
  const none = { steps: Math.max(0, whole), requestedPerStep: null, reservedPerStep: null };
  if (whole < FEWEST_STEPS) return { verdict: 'unknown', ...none, stacks: [] };
  // The start of step 1 is the first that knows everything a step leaves behind.
  const requested = levels.startRequested.subarray(1);
  const reserved = levels.startReserved.subarray(1);
  const [live, held] = [growth(requested), growth(reserved)];
  const facts = { steps: whole, requestedPerStep: live.each, reservedPerStep: held.each };
  if (live.goesOn) return { verdict: 'leak', ...facts, stacks: leakingStacks(survey) };
  if (held.goesOn) return { verdict: 'cache', ...facts, stacks: [] };
  const grew = live.each * requested.length > requested[0]! * NOISE;
  return { verdict: grew ? 'warm-up' : 'none', ...facts, stacks: [] };
}

/**
 * What a step adds, and whether it does so to the end. Thirds are compared by their medians: batches
 * of different sizes make single steps go up and down, and a warm-up ends within the first third.
 */
function growth(levels: Float64Array): { each: number; goesOn: boolean } {
  const third = Math.max(1, Math.floor(levels.length / 3));
  const first = median(levels.subarray(0, third));
  const middle = median(levels.subarray(third, levels.length - third));
  const last = median(levels.subarray(levels.length - third));
  const each = (last - first) / (levels.length - third);
  const noise = median(Array.from(levels, (level, i) => Math.abs(level - first - each * i)));
  const enough = Math.max(noise, levels[0]! * NOISE * third);
  const goesOn = last - middle > enough && middle - first > enough / 2;
  return { each, goesOn: goesOn && last - middle > (middle - first) * 0.3 };
}

/** Stacks whose allocations of each step are still there at the last one, in most of the steps. */
function leakingStacks({ life, steps, recording }: TraceSurvey): LeakingStack[] {
  const [from, to] = [steps.start[1]!, steps.start[steps.count - 1]!];
  const span = steps.count - 2;
  const groups = new Map<number, { bytes: number; rows: number; steps: Set<number> }>();
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
  return [...groups]
    .filter(([, group]) => group.steps.size >= Math.max(2, span * 0.5))
    .sort((a, b) => b[1].bytes - a[1].bytes)
    .slice(0, MOST_STACKS)
    .map(([stack, { bytes, rows }]) => ({
      bytesPerStep: bytes / span,
      bytes,
      allocations: rows,
      ...describeStack(recording, stack),
    }));
}
