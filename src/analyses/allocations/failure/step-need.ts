import { firstRowFrom } from '../../../model/allocations/lifetimes.ts';
import { stepAt } from '../evidence/steps.ts';
import type { TraceSurvey } from '../evidence/survey.ts';
import type { StepBytes } from '../step-bytes.ts';

/** What a whole step needs beyond what it began with, by those that ran to their end. */
export interface StepNeed {
  /** The first event of the step that failed. */
  readonly startEvent: number;
  /** In use when it began. */
  readonly startBytes: number;
  readonly needBytes: number;
  /** The step that failed against those: 2 where its blocks are twice as large. */
  readonly times: number;
  /** The same of most of its bytes, as `times` is that of the block that grew most; null: so much larger that it is a step of another kind. */
  readonly typicalTimes: number | null;
}

/** Steps may be of two kinds in turn: so many are looked at. */
const MOST_STEPS = 8;
/** Nobody takes a batch so many times as large: a prompt beside single tokens is. */
const MOST_TIMES = 32;
/** Smaller blocks are masks and counters, which need not grow with a batch. */
const LEAST_BLOCK = 64 * 1024;

/** null: no whole step came before it that the same lines had made. */
export function stepNeed(survey: TraceSurvey, levels: StepBytes, event: number): StepNeed | null {
  const { steps } = survey;
  const failed = stepAt(steps, event);
  if (failed < 1) return null;
  const startBytes = levels.startRequested[failed]!;
  const now = blocksInOrder(survey, steps.start[failed]!, event);
  let found: (Omit<StepNeed, 'startEvent'> & { readonly matched: number }) | null = null;
  for (let step = failed - 1; step >= Math.max(0, failed - MOST_STEPS); step--) {
    const before = blocksInOrder(survey, steps.start[step]!, steps.start[step + 1]!);
    const grown: Grown[] = [];
    for (const [key, size] of now) {
      const known = before.get(key);
      if (known !== undefined) grown.push({ size, times: size / known });
    }
    grown.sort((a, b) => a.times - b.times);
    const matched = grown.reduce((sum, { size }) => sum + size, 0);
    const times = grown.at(-1)?.times ?? 0;
    const typicalTimes = medianByBytes(grown, matched);
    const needBytes = levels.peakRequested[step]! - levels.startRequested[step]!;
    const one = { startBytes, needBytes, times, typicalTimes, matched };
    if (times > 0 && (!found || isNearer(one, found))) found = one;
  }
  if (!found) return null;
  const { matched: _, ...need } = found;
  return { startEvent: steps.start[failed]!, ...need };
}

interface Grown {
  readonly size: number;
  readonly times: number;
}

/** Of blocks by how much they grew: half of the bytes are in those that grew as much, or more. */
function medianByBytes(grown: readonly Grown[], bytes: number): number | null {
  let below = 0;
  for (const { size, times } of grown) {
    below += size;
    if (below >= bytes / 2) return times <= MOST_TIMES ? times : null;
  }
  return null;
}

type Matched = Pick<StepNeed, 'times'> & { readonly matched: number };

/** The step that did most of the same, and of these the one closest in size. */
const isNearer = (one: Matched, other: Matched) =>
  one.matched > other.matched ||
  (one.matched === other.matched &&
    Math.abs(Math.log(one.times)) < Math.abs(Math.log(other.times)));

/** Sizes by stack, the first that it made, the second …: the same place in two steps has the same key. */
function blocksInOrder({ life }: TraceSurvey, from: number, to: number): Map<string, number> {
  const made = new Map<number, number>();
  const found = new Map<string, number>();
  for (let row = firstRowFrom(life, from); row < life.allocs && life.start[row]! < to; row++) {
    const [stack, size] = [life.stack[row]!, life.size[row]!];
    const n = made.get(stack) ?? 0;
    made.set(stack, n + 1);
    if (size >= LEAST_BLOCK) found.set(`${stack} ${n}`, size);
  }
  return found;
}
