import { PHASE } from './evidence/phase.ts';
import { phaseAt } from './evidence/phases.ts';
import type { Scene } from './evidence/scene.ts';
import { stepAt } from './steps.ts';

/** Where in the program's work an event lies. */
export interface Moment {
  readonly phase: 'setup' | 'between' | 'forward' | 'backward' | 'optimizer' | null;
  /** Counted from 1; null before the first or where no steps are found. */
  readonly step: number | null;
}

const NAMES = Object.keys(PHASE) as (keyof typeof PHASE)[];

export function momentOf({ phases, steps }: Scene, event: number): Moment {
  const at = phaseAt(phases, event);
  const step = stepAt(steps, event);
  return {
    phase: at < 0 ? null : NAMES[phases.kind[at]!]!,
    step: step < 0 ? null : step + 1,
  };
}
