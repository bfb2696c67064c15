import { ROLE, stackEvidence } from '../evidence/stacks.ts';
import type { TraceSurvey } from '../evidence/survey.ts';
import type { RowParts } from './parts.ts';

/** What an optimizer that was just making its state would still have asked for. */
export interface OptimizerNeed {
  /** The state that was there. */
  readonly stateBytes: number;
  /** Of each parameter of which it had made none. */
  readonly toCome: readonly number[];
  /** What a step takes besides, for a moment: as much as the parameters have, at most. */
  readonly scratchBytes: number;
}

/** Numbers that count steps are no state to speak of. */
const LEAST = 1024;

/** null: memory did not run out while the state was made. */
export function optimizerNeed(
  { recording, trace, life }: TraceSurvey,
  event: number,
  parts: RowParts,
): OptimizerNeed | null {
  if (stackEvidence(recording).role(trace.stacks[event]!) !== ROLE.optimizerState) return null;
  const made = new Map<number, number>();
  for (const row of parts.rows('optimizer-state')) {
    const size = life.size[row]!;
    if (size >= LEAST) made.set(size, (made.get(size) ?? 0) + 1);
  }
  // Gradients tell which parameters are trained.
  const trained = parts.rows('gradient').map((row) => life.size[row]!);
  const each = statesEach(made, trained);
  const wanted = new Map<number, number>();
  for (const size of trained) wanted.set(size, (wanted.get(size) ?? 0) + each);
  const toCome: number[] = [];
  for (const [size, n] of wanted) {
    const missing = size < LEAST ? 0 : n - (made.get(size) ?? 0);
    for (let i = 0; i < missing; i++) toCome.push(size);
  }
  // The request that failed is one of them, and is made anew by the replay itself.
  const asked = trace.ooms.find((oom) => oom.event === event)?.requested ?? 0;
  const one = toCome.indexOf(asked);
  if (one >= 0) toCome.splice(one, 1);
  return {
    stateBytes: parts.bytes('optimizer-state'),
    toCome,
    scratchBytes: trained.reduce((sum, size) => sum + size, 0),
  };
}

/** How many tensors of state each parameter has: as many blocks of one size in a row as were made before the next parameter's turn. */
function statesEach(made: ReadonlyMap<number, number>, trained: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const size of trained) counts.set(size, (counts.get(size) ?? 0) + 1);
  // Of a size of which all is made the share is exact; Adam and its kind have two.
  let each = 0;
  for (const [size, n] of counts) each = Math.max(each, Math.ceil((made.get(size) ?? 0) / n));
  return Math.max(each, ADAM);
}

const ADAM = 2;
