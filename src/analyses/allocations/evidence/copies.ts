import { PHASE } from './phases.ts';
import { type Counts, total } from './sizes.ts';
import type { TraceSurvey } from './survey.ts';

/** What the blocks of one size from before the trace are, as counts. */
export interface Copies {
  readonly parameters: number;
  readonly gradients: number;
  readonly states: number;
}

/** Tensors each optimizer keeps for a parameter: in its usual setting, and at most. */
const STATES: readonly (readonly [RegExp, usual: number, most: number])[] = [
  [/adam|lamb|adabelief/i, 2, 3],
  [/adadelta|rprop/i, 2, 2],
  [/rmsprop/i, 1, 3],
  [/sgd|lion|adagrad|muon|lars/i, 1, 1],
];
const ANY = { usual: undefined, most: 4 };

/**
 * Splits blocks from before the trace, size by size: every trained parameter has one gradient and
 * as many tensors of state as its optimizer keeps, all of its own size.
 * @param kept how many blocks of each size are to be split
 * @param built how many parameters of each size are known by their stacks
 */
export function copiesBefore(
  survey: TraceSurvey,
  kept: Counts,
  built: Counts,
): (size: number) => Copies | null {
  const { sizes, phases } = survey;
  const { usual, most } = statesOf(phases.optimizers);
  if (hasWholeStep(survey)) {
    const held = sumOf(kept, sizes.states, built);
    // An optimizer's options change how much it keeps; what holds for all sizes alike is no chance.
    const states = [1, 2, 3, 4].find(
      (n) => n <= most && shareOf(sizes.gradients, held, 1 + n) >= 0.9,
    );
    return (size) => {
      const n = of(sizes.gradients, size);
      if (n === 0) return null;
      const room = (states ?? usual ?? 2) * n - of(sizes.states, size);
      return {
        parameters: Math.max(0, n - of(built, size)),
        gradients: 0,
        states: Math.max(0, room),
      };
    };
  }
  if (!phases.kind.some((kind) => kind >= PHASE.backward)) return () => null;
  const all = sumOf(kept, sizes.gradients, sizes.states, built);
  const candidates = usual === undefined ? [4, 3, 2] : [2 + usual, 2];
  const each = candidates.find((n) => shareOfMultiples(all, n) >= 0.9);
  if (each === undefined) return () => null;
  return (size) => {
    const n = Math.floor(of(all, size) / each);
    return {
      parameters: Math.max(0, n - of(built, size)),
      gradients: Math.max(0, n - of(sizes.gradients, size)),
      states: Math.max(0, (each - 2) * n - of(sizes.states, size)),
    };
  };
}

function statesOf(optimizers: readonly string[]): { usual: number | undefined; most: number } {
  for (const name of optimizers) {
    for (const [pattern, usual, most] of STATES) if (pattern.test(name)) return { usual, most };
  }
  return ANY;
}

const of = (counts: Counts, size: number) => counts.get(size) ?? 0;

function sumOf(...all: readonly Counts[]): Counts {
  const sum: Counts = new Map();
  for (const counts of all) for (const [size, n] of counts) sum.set(size, of(sum, size) + n);
  return sum;
}

/** The share of the gradients' bytes whose sizes are held exactly so many times for each. */
function shareOf(gradients: Counts, held: Counts, times: number): number {
  let bytes = 0;
  for (const [size, n] of gradients) if (of(held, size) === n * times) bytes += size * n;
  return bytes / Math.max(1, total(gradients));
}

/** A backward pass that began inside the trace made all gradients; of an earlier one some are missing. */
function hasWholeStep({ phases, sizes }: TraceSurvey): boolean {
  const forward = phases.kind.indexOf(PHASE.forward);
  const whole = forward >= 0 && phases.kind.indexOf(PHASE.backward, forward) >= 0;
  return whole && total(sizes.gradients) > 0;
}

function shareOfMultiples(counts: Counts, n: number): number {
  let bytes = 0;
  for (const [size, count] of counts) bytes += size * (count - (count % n));
  return bytes / Math.max(1, total(counts));
}
