import { EMPTY_STACK } from '../../../model/allocations/actions.ts';
import { framesOf } from '../../../model/allocations/names.ts';
import { stepAt } from '../evidence/steps.ts';
import type { TraceSurvey } from '../evidence/survey.ts';

/** Losses over classes: what they make is as large as the last layer's output, a number for each class of each token. */
const LOSS = /cross_entropy|log_softmax|nll_loss|CrossEntropy|NLLLoss/;
const TORCH = /torch\/nn\/(functional|modules\/loss)\.py$/;

/** Output of half precision is made whole for the loss, and the other way round. */
const TIMES = [1, 0.5, 2];
/** Smaller than this part of the largest block they are no story of their own. */
const LARGE = 0.5;

export interface LossBlocks {
  /** Live blocks of the last layer's output, the loss's own, and their gradients. */
  readonly rows: ReadonlySet<number>;
  /** Whether the failed request was for one more. */
  readonly asked: boolean;
}

/** The blocks of the size that a loss over classes makes, where they are the largest there are. */
export function lossBlocks(survey: TraceSurvey, event: number, live: Uint32Array): LossBlocks {
  const { life, trace, steps, recording } = survey;
  const requested = trace.ooms.find((oom) => oom.event === event)?.requested ?? 0;
  const known = new Map<number, boolean>();
  const isLoss = (stack: number) => {
    if (stack >= EMPTY_STACK) return false;
    if (!known.has(stack)) {
      const frames = framesOf(recording, stack);
      known.set(
        stack,
        frames.some(({ file, function: name }) => TORCH.test(file) && LOSS.test(name)),
      );
    }
    return known.get(stack)!;
  };
  const largest = live.reduce((most, row) => Math.max(most, life.size[row]!), requested);
  const isLarge = (size: number) => size >= LARGE * largest;
  const begins = steps.count > 0 ? steps.start[Math.max(0, stepAt(steps, event))]! : 0;
  const sizes = new Set<number>();
  for (const row of live) {
    if (life.start[row]! >= begins && isLarge(life.size[row]!) && isLoss(life.stack[row]!)) {
      sizes.add(life.size[row]!);
    }
  }
  const failed = trace.stacks[event]!;
  if (isLarge(requested) && isLoss(failed)) sizes.add(requested);
  if (sizes.size === 0 && isLarge(requested) && madeLogitsBefore(survey, failed, isLoss)) {
    sizes.add(requested);
  }
  const fits = (size: number) => TIMES.some((times) => sizes.has(size * times));
  const rows = new Set<number>();
  for (const row of live) {
    if (life.start[row]! >= begins && fits(life.size[row]!)) rows.add(row);
  }
  return { rows, asked: fits(requested) };
}

/** Whether this stack is the last layer's: in an earlier step it made blocks of the very size that the loss then made. */
function madeLogitsBefore(
  { life }: TraceSurvey,
  stack: number,
  isLoss: (stack: number) => boolean,
): boolean {
  const own = new Set<number>();
  for (let row = 0; row < life.allocs; row++) {
    const size = life.size[row]!;
    if (life.stack[row] === stack) own.add(size);
    else if (own.has(size) && isLoss(life.stack[row]!)) return true;
  }
  return false;
}
