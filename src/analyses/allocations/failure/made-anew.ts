import { EMPTY_STACK } from '../../../model/allocations/actions.ts';
import type { TraceSurvey } from '../evidence/survey.ts';

/** A tensor that a line makes anew and larger each time, the old one and the new one side by side: `all = torch.cat([all, batch])`. */
export interface MadeAnew {
  readonly stack: number;
  /** By so much each time. */
  readonly bytesEach: number;
  readonly times: number;
}

/** Fewer may be batches that happened to come by size. */
const FEWEST_TIMES = 6;
/** Sizes are rounded, and a last batch is smaller. */
const SAME = 0.05;

/** By the line whose request failed: its largest blocks up to then, which rose by the same amount to the last. */
export function madeAnew({ life, trace }: TraceSurvey, event: number): MadeAnew | null {
  const stack = trace.stacks[event]!;
  if (stack >= EMPTY_STACK) return null;
  const largest: number[] = [];
  for (let row = 0; row < life.allocs && life.start[row]! < event; row++) {
    if (life.stack[row] !== stack || life.size[row]! <= (largest.at(-1) ?? 0)) continue;
    largest.push(life.size[row]!);
  }
  const requested = trace.ooms.find((oom) => oom.event === event)?.requested ?? 0;
  const sizes = [...largest, requested];
  const rises = sizes.slice(1).map((size, i) => size - sizes[i]!);
  const each = rises.at(-1) ?? 0;
  const isSame = (rise: number) => Math.abs(rise - each) <= SAME * each;
  const before = rises.findLastIndex((rise) => !isSame(rise));
  const times = rises.length - 1 - before;
  return each > 0 && times >= FEWEST_TIMES ? { stack, bytesEach: each, times } : null;
}
