import { releasedAt } from '../../../model/allocations/lifetimes.ts';
import { PHASE, phaseAt } from './phases.ts';
import { stepAt } from './steps.ts';
import type { TraceSurvey } from './survey.ts';

/** Alive at the trace's end. */
export const staysToEnd = ({ life, trace }: TraceSurvey, row: number) =>
  releasedAt(life, row) >= trace.events;

/** Alive over at least one whole step after its own. */
export function outlastsSteps({ life, steps }: TraceSurvey, row: number): boolean {
  const gone = releasedAt(life, row);
  return stepAt(steps, gone) > stepAt(steps, life.start[row]!) + 1;
}

/** Alive when a later step's backward pass begins. */
export const outlastsGradients = (
  { life, gradientsGone }: TraceSurvey,
  row: number,
  at: number,
): boolean => releasedAt(life, row) > gradientsGone[at]!;

export function freedInBackward({ life, phases, trace }: TraceSurvey, row: number): boolean {
  const gone = releasedAt(life, row);
  const at = phaseAt(phases, gone);
  return gone < trace.events && at >= 0 && phases.kind[at] === PHASE.backward;
}

/** The trace ends because memory ran out: what would have been freed next is not known. */
export const isCutAt = ({ trace, phases }: TraceSurvey, at: number) =>
  at === phases.count - 1 && trace.ooms.some((oom) => oom.event >= phases.start[at]!);

/** Sizes that a parameter is known to have by other signs than its gradient. */
export function isParameterSize({ sizes }: TraceSurvey, size: number): boolean {
  return sizes.built.has(size) || sizes.states.has(size) || sizes.before.has(size);
}
