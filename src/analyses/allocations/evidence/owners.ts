import { OWNER } from '../../../model/allocations/actions.ts';
import { REASONS, type Reason } from './reasons.ts';
import type { Scene } from './scene.ts';

const TOLD: ReadonlyMap<number, Reason> = new Map([
  [OWNER.parameter, REASONS.ownedParameter],
  [OWNER.gradient, REASONS.ownedGradient],
  [OWNER.optimizer_state, REASONS.ownedState],
  [OWNER.activation, REASONS.ownedActivation],
]);

/** What the program itself held a block for when the snapshot was taken, where our agent took it. */
export function byOwner({ life, trace }: Scene): (row: number) => Reason | null {
  return (row) => TOLD.get(ownerOf(life, trace, row)) ?? null;
}

/** What is left to say of a block that the trace tells nothing of, or only a guess that its owner rules out. */
export function leftOver({ life, trace }: Scene, row: number, guess: Reason): Reason | null {
  const owner = ownerOf(life, trace, row);
  const isUnsure = guess.category === 'unknown' || guess === REASONS.parameterAssumed;
  if (owner === OWNER.nobody) return isUnsure ? REASONS.ownedByNobody : null;
  // No tensor of a program's is a library's scratch memory.
  const isNone = guess.category === 'workspace' && guess !== REASONS.workspaceStack;
  return owner === OWNER.other && (isUnsure || isNone) ? REASONS.ownedOther : null;
}

function ownerOf({ block }: Scene['life'], { blocks }: Scene['trace'], row: number): number {
  const at = block[row]!;
  return at < 0 ? OWNER.untold : blocks.owner[at]!;
}
