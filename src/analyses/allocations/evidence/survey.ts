import { type Summary, summary } from '../../../model/allocations/curve.ts';
import { type Lifetimes, lifetimes } from '../../../model/allocations/lifetimes.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { findPhases } from './find-phases.ts';
import { gradientsGone, type Phases } from './phases.ts';
import { type Sizes, sizesOf } from './sizes.ts';
import { type RowRole, rowRoles } from './stacks.ts';
import { findSteps, type TrainingSteps } from './steps.ts';

/** All that is known of a trace before anything is decided. */
export interface TraceSurvey {
  readonly recording: Recording;
  readonly trace: DeviceTrace;
  readonly life: Lifetimes;
  readonly bytes: Summary;
  readonly roleOf: RowRole;
  readonly phases: Phases;
  /** By stretch: when gradients that are dropped are gone. */
  readonly gradientsGone: Float64Array;
  readonly steps: TrainingSteps;
  readonly sizes: Sizes;
}

const known = new WeakMap<DeviceTrace, TraceSurvey>();

export function surveyOf(recording: Recording, trace: DeviceTrace): TraceSurvey {
  let found = known.get(trace);
  if (!found) {
    found = surveyed(recording, trace);
    known.set(trace, found);
  }
  return found;
}

function surveyed(recording: Recording, trace: DeviceTrace): TraceSurvey {
  const life = lifetimes(trace);
  const roleOf = rowRoles(recording, life);
  const stretches = findPhases(recording, trace, life, roleOf);
  const loop = findSteps(stretches, trace.events);
  return {
    recording,
    trace,
    life,
    bytes: summary(trace),
    roleOf,
    phases: stretches,
    gradientsGone: gradientsGone(stretches),
    steps: loop,
    sizes: sizesOf(life, stretches, loop, roleOf, trace.events),
  };
}
