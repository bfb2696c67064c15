import { firstRowFrom, releasedAt } from '../../../model/allocations/lifetimes.ts';
import {
  isCutAt,
  isParameterSize,
  outlastsGradients,
  outlastsSteps,
  staysToEnd,
} from './lifespan.ts';
import { PHASE, phaseEnd } from './phases.ts';
import { REASONS, type Reason } from './reasons.ts';
import type { Counts } from './sizes.ts';
import { ROLE } from './stacks.ts';
import type { TraceSurvey } from './survey.ts';

/** What a forward pass made: kept for the backward pass, for good, or for nothing. */
export function reasonsInForward(
  survey: TraceSurvey,
  workspaces: ReadonlySet<number>,
): (row: number, at: number) => Reason {
  const { life, phases, roleOf } = survey;
  const evaluates = memo((at) => savesNothing(survey, at));
  const savedBefore = savedByStack(survey);
  const firstSaved = memo((at) => firstSavedRow(survey, at));
  const trains = phases.kind.includes(PHASE.backward);
  const isSurplus = surplus(survey);
  return (row, at) => {
    const size = life.size[row]!;
    const gone = releasedAt(life, row);
    const stays = outlastsSteps(survey, row);
    const sized = isParameterSize(survey, size);
    const hidden = roleOf(row) === ROLE.none;
    if (workspaces.has(row)) {
      // No module makes parameters in a forward pass.
      if (!sized || (!hidden && outlastsGradients(survey, row, at))) return REASONS.workspaceSize;
    }
    const backward = backwardAfter(survey, at);
    if (hidden && (stays || staysToEnd(survey, row)) && isEarly(survey, row)) {
      if (!survey.sizes.gradients.has(size) && !sized) return REASONS.keptEarly;
      return isSurplus(row) ? REASONS.stateEarly : REASONS.sized;
    }
    if (backward < 0) {
      const cut = isCutAt(survey, at);
      if (!trains || (!cut && !staysToEnd(survey, row))) return REASONS.inference;
      const scratch = cut && savedBefore().get(life.stack[row]!) === false;
      return scratch ? REASONS.forwardScratch : REASONS.savedCut;
    }
    if (gone < phases.start[backward]!) {
      return evaluates(at) ? REASONS.inference : REASONS.forwardScratch;
    }
    if (stays) return REASONS.keptOn;
    if (hidden && row < firstSaved(at) && gone >= phaseEnd(phases, backward, survey.trace.events)) {
      return REASONS.inputFirst;
    }
    return REASONS.saved;
  };
}

/** The backward pass that a forward pass leads to: none when an optimizer step comes first. */
function backwardAfter({ phases }: TraceSurvey, at: number): number {
  for (let next = at + 1; next < phases.count; next++) {
    if (phases.kind[next] === PHASE.backward) return next;
    if (phases.kind[next] === PHASE.optimizer) return -1;
  }
  return -1;
}

/** Made in or before the first step. */
const isEarly = ({ life, steps }: TraceSurvey, row: number) =>
  steps.count > 0 && life.start[row]! < steps.end[0]!;

/** Kept from before the first step, beyond one for each gradient of its size: some optimizers make their state at once. */
function surplus(survey: TraceSurvey): (row: number) => boolean {
  const { life, roleOf, sizes } = survey;
  let found: Set<number> | null = null;
  const gather = () => {
    const [rows, counts] = [new Set<number>(), new Map() as Counts];
    for (let row = 0; row < life.allocs && isEarly(survey, row); row++) {
      if (roleOf(row) !== ROLE.none) continue;
      if (!staysToEnd(survey, row) && !outlastsSteps(survey, row)) continue;
      const n = (counts.get(life.size[row]!) ?? 0) + 1;
      counts.set(life.size[row]!, n);
      const gradients = sizes.gradients.get(life.size[row]!) ?? 0;
      if (gradients > 0 && n > gradients) rows.add(row);
    }
    return rows;
  };
  return (row) => {
    found ??= gather();
    return found.has(row);
  };
}

/** An evaluation pass: nothing that it makes is kept for the backward pass that comes later. */
function savesNothing(survey: TraceSurvey, at: number): boolean {
  const { life, phases } = survey;
  const backward = phases.start[backwardAfter(survey, at)]!;
  const end = phases.start[at + 1]!;
  let [saved, made] = [0, 0];
  for (let row = firstRowFrom(life, phases.start[at]!); row < life.allocs; row++) {
    if (life.start[row]! >= end) break;
    made += life.size[row]!;
    if (releasedAt(life, row) >= backward) saved += life.size[row]!;
  }
  // Its result may be held on to.
  return saved <= made * 0.02;
}

/** The first allocation of a forward pass that the backward pass frees: what comes before may be input. */
function firstSavedRow(survey: TraceSurvey, at: number): number {
  const { life, phases, trace } = survey;
  const backward = backwardAfter(survey, at);
  const end = phaseEnd(phases, backward, trace.events);
  for (let row = firstRowFrom(life, phases.start[at]!); row < life.allocs; row++) {
    const gone = releasedAt(life, row);
    if (gone >= phases.start[backward]! && gone < end) return row;
  }
  return life.allocs;
}

/** Whether what a stack made in earlier forward passes was kept for their backward passes. */
function savedByStack({ life, phases, trace }: TraceSurvey): () => ReadonlyMap<number, boolean> {
  let found: Map<number, boolean> | null = null;
  return () => {
    if (found) return found;
    found = new Map();
    for (let row = 0, at = -1; row < life.allocs; row++) {
      while (at + 1 < phases.count && phases.start[at + 1]! <= life.start[row]!) at++;
      if (at < 0 || phases.kind[at] !== PHASE.forward || at === phases.count - 1) continue;
      found.set(life.stack[row]!, releasedAt(life, row) >= phaseEnd(phases, at, trace.events));
    }
    return found;
  };
}

function memo<T>(compute: (key: number) => T): (key: number) => T {
  const known = new Map<number, T>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key)!;
  };
}
