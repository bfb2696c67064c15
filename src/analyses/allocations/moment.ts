import { PHASE, phaseAt } from './evidence/phases.ts';
import { stepAt } from './evidence/steps.ts';
import type { TraceSurvey } from './evidence/survey.ts';

/** Where in the program's work an event lies. */
export interface StepMoment {
  readonly phase: 'setup' | 'between' | 'forward' | 'backward' | 'optimizer' | null;
  /** Counted from 1; null before the first or where no steps are found. */
  readonly step: number | null;
}

const NAMES = Object.keys(PHASE) as (keyof typeof PHASE)[];

export function momentOf({ phases, steps }: TraceSurvey, event: number): StepMoment {
  const at = phaseAt(phases, event);
  const step = stepAt(steps, event);
  return {
    phase: at < 0 ? null : NAMES[phases.kind[at]!]!,
    step: step < 0 ? null : step + 1,
  };
}
