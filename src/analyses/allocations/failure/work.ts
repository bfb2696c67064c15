import { OWNER } from '../../../model/allocations/actions.ts';
import { PHASE } from '../evidence/phases.ts';
import type { TraceSurvey } from '../evidence/survey.ts';

/** What a program was at when memory ran out, and by which signs. */
export interface ProgramWork {
  /**
   * trains: backward passes, steps of an optimizer, or what these leave. serves: forward passes alone, none of whose results keeps a
   * graph. unknown: neither shows.
   */
  readonly does: 'trains' | 'serves' | 'unknown';
  readonly forwardPasses: number;
  readonly backwardPasses: number;
  readonly optimizerSteps: number;
  readonly gradientBytes: number;
  readonly optimizerStateBytes: number;
  /** Results that keep their graph for a backward pass, as the program's objects tell; null: nobody looked. */
  readonly graphBytes: number | null;
}

export function programWork(
  { phases, trace, life }: TraceSurvey,
  live: Uint32Array,
  held: (category: string) => number,
): ProgramWork {
  const passes = (kind: number) => phases.kind.reduce((sum, one) => sum + Number(one === kind), 0);
  const looked = trace.blocks.owner.some((owner) => owner !== OWNER.untold);
  const facts = {
    forwardPasses: passes(PHASE.forward),
    backwardPasses: passes(PHASE.backward),
    optimizerSteps: passes(PHASE.optimizer),
    gradientBytes: held('gradient'),
    optimizerStateBytes: held('optimizer_state'),
    graphBytes: looked
      ? live.reduce((sum, row) => {
          const block = life.blockOf(row);
          const owner = block < 0 ? OWNER.untold : trace.blocks.owner[block];
          return sum + (owner === OWNER.activation ? life.size[row]! : 0);
        }, 0)
      : null,
  };
  return { does: doing(facts), ...facts };
}

/** Passes so many in a row without a backward pass are no training's first step. */
const MANY_PASSES = 3;

function doing(facts: Omit<ProgramWork, 'does'>): ProgramWork['does'] {
  const { forwardPasses, backwardPasses, optimizerSteps, graphBytes } = facts;
  if (backwardPasses + optimizerSteps > 0) return 'trains';
  if (facts.gradientBytes + facts.optimizerStateBytes + (graphBytes ?? 0) > 0) return 'trains';
  if (forwardPasses === 0) return 'unknown';
  return graphBytes !== null || forwardPasses >= MANY_PASSES ? 'serves' : 'unknown';
}
