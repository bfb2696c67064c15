import { releasedAt } from '../../../model/allocations/lifetimes.ts';
import { type Copies, copiesBefore } from './copies.ts';
import { freedInBackward } from './lifespan.ts';
import { PHASE, phaseAt } from './phases.ts';
import { REASONS, type Reason } from './reasons.ts';
import { type Counts, isReplaced } from './sizes.ts';
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
