import { copiesBefore } from './copies.ts';
import { freedInBackward } from './lifespan.ts';
import { PHASE } from './phase.ts';
import { phaseAt } from './phases.ts';
import { REASONS, type Reason } from './reasons.ts';
import { letGo } from './rows.ts';
import type { Scene } from './scene.ts';
import { type Counts, isReplaced } from './sizes.ts';
import { ROLE } from './stacks.ts';

/**
 * What was there before the trace. A block of the final state may still know its stack; beyond
 * that, sizes tell: as many blocks as there are gradients of a size are its parameters, and what
 * comes on top is the optimizer's.
 */
export function judgeBefore(
  scene: Scene,
  workspaces: ReadonlySet<number>,
): (row: number) => Reason {
  const { life, roleOf, sizes, phases, trace } = scene;
  const place = partition(scene, workspaces);
  const isModelOutside = sizes.built.size === 0 && hasPasses(scene);
  return (row) => {
    const size = life.size[row]!;
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
    if (letGo(life, row) < sizes.settled) return freedInside(scene, row);
    const found = place(size);
    if (found) return found;
    if (workspaces.has(row) && !sizes.built.has(size)) return REASONS.workspaceBefore;
    // A stack in the model's own code that is not its construction: memory an earlier pass left.
    if (roleOf(row) !== ROLE.none || !isModelOutside) return REASONS.unknownBefore;
    return phases.count > 0 ? REASONS.parameterAssumed : REASONS.unknownBefore;
  };
}

const hasPasses = ({ phases }: Scene) => phases.kind.includes(PHASE.forward);

function freedInside(scene: Scene, row: number): Reason {
  const { sizes, life, phases } = scene;
  const size = life.size[row]!;
  const kind = phases.kind[phaseAt(phases, life.end[row]!)];
  const sized = sizes.gradients.has(size) || sizes.built.has(size) || sizes.before.has(size);
  if (freedInBackward(scene, row)) return REASONS.activationBefore;
  if (sized && kind !== PHASE.forward) return REASONS.gradientBefore;
  return sized && !hasPasses(scene) ? REASONS.gradientBefore : REASONS.activationBefore;
}

/** Hands out, size by size, what the blocks are that no stack tells of: parameters first. */
function partition(scene: Scene, workspaces: ReadonlySet<number>): (size: number) => Reason | null {
  const { sizes, life, roleOf } = scene;
  const kept: Counts = new Map(sizes.before);
  const built: Counts = new Map(sizes.built);
  for (let row = life.allocs; row < life.count; row++) {
    const size = life.size[row]!;
    const role = roleOf(row);
    if (role === ROLE.setup) built.set(size, (built.get(size) ?? 0) + 1);
    if (role > ROLE.user || workspaces.has(row)) kept.set(size, (kept.get(size) ?? 0) - 1);
  }
  const copies = copiesBefore(scene, kept, built);
  const handed: Counts = new Map();
  const proven = sizes.gradients.size > 0;
  return (size) => {
    const split = copies(size);
    if (!split) return null;
    const n = handed.get(size) ?? 0;
    handed.set(size, n + 1);
    if (n < split.parameters) return proven ? REASONS.parameterBefore : REASONS.parameterCopies;
    if (n < split.parameters + split.states) {
      return proven ? REASONS.stateBefore : REASONS.stateCopies;
    }
    return n < split.parameters + split.states + split.gradients ? REASONS.gradientCopies : null;
  };
}
