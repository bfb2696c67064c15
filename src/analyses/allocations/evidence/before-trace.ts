import { releasedAt } from '../../../model/allocations/lifetimes.ts';
import { freedInBackward } from './lifespan.ts';
import { PHASE, phaseAt } from './phases.ts';
import { REASONS, type Reason } from './reasons.ts';
import { type Counts, isReplaced, total } from './sizes.ts';
import { ROLE } from './stacks.ts';
import type { TraceSurvey } from './survey.ts';

/**
 * What was there before the trace. A block of the final state may still know its stack; beyond
 * that, sizes tell: as many blocks as there are gradients of a size are its parameters, and what
 * comes on top is the optimizer's.
 */
export function reasonsBefore(
  survey: TraceSurvey,
  workspaces: ReadonlySet<number>,
): (row: number) => Reason {
  const { life, roleOf, sizes, phases } = survey;
  const bySize = sharedOut(survey, workspaces);
  const isModelOutside = sizes.built.size === 0 && hasPasses(survey);
  return (row) => {
    const found = bySign(survey, row) ?? bySize.get(row);
    if (found) return found;
    if (workspaces.has(row) && !sizes.built.has(life.size[row]!)) return REASONS.workspaceBefore;
    // A stack in the model's own code that is not its construction: memory an earlier pass left.
    if (roleOf(row) !== ROLE.none || !isModelOutside) return REASONS.unknownBefore;
    return phases.count > 0 ? REASONS.parameterAssumed : REASONS.unknownBefore;
  };
}

const hasPasses = ({ phases }: TraceSurvey) => phases.kind.includes(PHASE.forward);

/** What its stack says, or when it was freed. */
function bySign(survey: TraceSurvey, row: number): Reason | null {
  const { life, roleOf, sizes, phases, trace } = survey;
  switch (roleOf(row)) {
    case ROLE.workspace:
      return REASONS.workspaceStack;
    case ROLE.setup:
      return REASONS.built;
    case ROLE.optimizer:
    case ROLE.optimizerState:
      return REASONS.state;
    case ROLE.bucket:
      return REASONS.gradientBucket;
  }
  if (isReplaced(life, phases, row, trace.events)) return REASONS.stateReplaced;
  return releasedAt(life, row) < sizes.settled ? freedInside(survey, row) : null;
}

function freedInside(survey: TraceSurvey, row: number): Reason {
  const { sizes, life, phases } = survey;
  const size = life.size[row]!;
  const kind = phases.kind[phaseAt(phases, life.end[row]!)];
  const sized = sizes.gradients.has(size) || sizes.built.has(size) || sizes.before.has(size);
  if (freedInBackward(survey, row)) return REASONS.activationBefore;
  if (sized && kind !== PHASE.forward) return REASONS.gradientBefore;
  return sized && !hasPasses(survey) ? REASONS.gradientBefore : REASONS.activationBefore;
}

/**
 * Size by size, what the blocks are that no sign tells of: parameters first, then state, then
 * gradients. Those of one size look alike, so rows are gone through in order, and what lives at the
 * peak comes before what is gone by then: a parameter is seldom freed while training goes on.
 */
function sharedOut(
  survey: TraceSurvey,
  workspaces: ReadonlySet<number>,
): ReadonlyMap<number, Reason> {
  const { life, bytes } = survey;
  const copies = copiesOf(survey, workspaces);
  const proven = survey.sizes.gradients.size > 0;
  const given: Counts = new Map();
  const found = new Map<number, Reason>();
  const give = (row: number) => {
    const size = life.size[row]!;
    const split = copies(size);
    if (!split) return;
    const n = given.get(size) ?? 0;
    given.set(size, n + 1);
    if (n < split.parameters) {
      found.set(row, proven ? REASONS.parameterBefore : REASONS.parameterCopies);
    } else if (n < split.parameters + split.states) {
      found.set(row, proven ? REASONS.stateBefore : REASONS.stateCopies);
    } else if (n < split.parameters + split.states + split.gradients) {
      found.set(row, REASONS.gradientCopies);
    }
  };
  for (const isAtPeak of [true, false]) {
    for (let row = life.allocs; row < life.count; row++) {
      if (life.end[row]! > bytes.peakEvent === isAtPeak && !bySign(survey, row)) give(row);
    }
  }
  return found;
}

function copiesOf(
  survey: TraceSurvey,
  workspaces: ReadonlySet<number>,
): (size: number) => Copies | null {
  const { sizes, life, roleOf } = survey;
  const kept: Counts = new Map(sizes.before);
  const built: Counts = new Map(sizes.built);
  for (let row = life.allocs; row < life.count; row++) {
    const size = life.size[row]!;
    const role = roleOf(row);
    if (role === ROLE.setup) built.set(size, (built.get(size) ?? 0) + 1);
    if (role > ROLE.user || workspaces.has(row)) kept.set(size, (kept.get(size) ?? 0) - 1);
  }
  return copiesBefore(survey, kept, built);
}

/** What the blocks of one size from before the trace are, as counts. */
interface Copies {
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
function copiesBefore(
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
