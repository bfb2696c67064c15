import { releasedAt } from '../../../model/allocations/lifetimes.ts';
import { reasonsInForward } from './forward-pass.ts';
import {
  freedInBackward,
  isCutAt,
  isParameterSize,
  outlastsGradients,
  outlastsSteps,
  staysToEnd,
} from './lifespan.ts';
import { PHASE, phaseAt, phaseEnd } from './phases.ts';
import { REASONS, type Reason } from './reasons.ts';
import { ROLE } from './stacks.ts';
import type { TraceSurvey } from './survey.ts';

/** Why one of the trace's own allocations is what it is: who made it, in which phase, what it outlived. */
export function reasonsInside(
  survey: TraceSurvey,
  workspaces: ReadonlySet<number>,
): (row: number) => Reason {
  const { life, phases, roleOf } = survey;
  const inForward = reasonsInForward(survey, workspaces);
  const drops = dropsGradients(survey);
  const idle = phases.kind.every((kind) => kind === PHASE.setup);
  return (row) => {
    const role = roleOf(row);
    if (role === ROLE.workspace) return REASONS.workspaceStack;
    if (role === ROLE.bucket) return REASONS.gradientBucket;
    const at = phaseAt(phases, life.start[row]!);
    if (at < 0 || (idle && role === ROLE.user)) return REASONS.unknownUser;
    const kind = phases.kind[at];
    if (kind === PHASE.optimizer || role === ROLE.optimizerState)
      return inOptimizer(survey, row, at);
    if (role === ROLE.setup) return whileBuilding(survey, row);
    if (role === ROLE.recompute) return REASONS.recomputed;
    if (kind === PHASE.backward) return inBackward(survey, row, at, drops, workspaces.has(row));
    if (kind === PHASE.forward) return inForward(row, at);
    return kind === PHASE.setup ? beforeSteps(survey, row) : betweenSteps(survey, row, at);
  };
}

function inOptimizer(survey: TraceSurvey, row: number, at: number): Reason {
  const { life, phases, trace, roleOf } = survey;
  if (roleOf(row) === ROLE.optimizerState) return REASONS.state;
  if (releasedAt(life, row) < phaseEnd(phases, at, trace.events)) return REASONS.stepScratch;
  if (!isCutAt(survey, at)) return REASONS.stateKept;
  return isParameterSize(survey, life.size[row]!) ? REASONS.stateCut : REASONS.stepScratch;
}

function inBackward(
  survey: TraceSurvey,
  row: number,
  at: number,
  drops: boolean,
  maybeWorkspace: boolean,
): Reason {
  const { life, phases, trace } = survey;
  const size = life.size[row]!;
  if (releasedAt(life, row) < phaseEnd(phases, at, trace.events)) return REASONS.intermediate;
  const sized = isParameterSize(survey, size);
  const outlasts = drops && outlastsGradients(survey, row, at);
  if (maybeWorkspace && (!sized || outlasts)) return REASONS.workspaceSize;
  if (isCutAt(survey, at)) return sized ? REASONS.gradientCut : REASONS.intermediateCut;
  if (sized) return REASONS.gradient;
  return outlasts ? REASONS.workspaceKept : REASONS.gradientKept;
}

/** Whether gradients go away between steps, as zero_grad does by default: then what stays is none. */
function dropsGradients({ life, phases, steps, trace }: TraceSurvey): boolean {
  if (steps.count < 2) return false;
  let [kept, dropped] = [0, 0];
  for (let row = 0, at = -1; row < life.allocs; row++) {
    while (at + 1 < phases.count && phases.start[at + 1]! <= life.start[row]!) at++;
    if (at < 0 || phases.kind[at] !== PHASE.backward) continue;
    const gone = releasedAt(life, row);
    if (gone < phaseEnd(phases, at, trace.events)) continue;
    if (gone < trace.events) dropped++;
    else kept++;
  }
  return dropped > kept;
}

function whileBuilding({ life, phases, steps }: TraceSurvey, row: number): Reason {
  const first = steps.count > 0 ? steps.start[0]! : (phases.start[phases.count - 1] ?? 0);
  return releasedAt(life, row) < first ? REASONS.building : REASONS.built;
}

/** User code before the first pass: tensors of its own, or a model made by hand. */
function beforeSteps(survey: TraceSurvey, row: number): Reason {
  const { life, phases, trace, sizes } = survey;
  const size = life.size[row]!;
  if (releasedAt(life, row) < phaseEnd(phases, 0, trace.events)) return REASONS.building;
  const stays = outlastsSteps(survey, row) || staysToEnd(survey, row);
  if (stays && (sizes.gradients.has(size) || sizes.states.has(size))) return REASONS.sized;
  if (freedInBackward(survey, row)) return REASONS.freedInBackward;
  return stays ? REASONS.inputKept : REASONS.input;
}

function betweenSteps(survey: TraceSurvey, row: number, at: number): Reason {
  const { life, phases, trace } = survey;
  if (releasedAt(life, row) < phaseEnd(phases, at, trace.events)) return REASONS.passing;
  const before = phases.kind[at - 1];
  if (before === PHASE.backward && phases.kind[at + 1] === PHASE.optimizer) {
    return isParameterSize(survey, life.size[row]!) ? REASONS.gradientCopy : REASONS.passing;
  }
  return freedInBackward(survey, row) ? REASONS.freedInBackward : REASONS.input;
}
