import { type Summary, summary } from '../../../model/allocations/curve.ts';
import { type Lifetimes, lifetimes } from '../../../model/allocations/lifetimes.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { type Steps, steps } from '../steps.ts';
import { type Phases, phases, type RowRole, rowRoles } from './phases.ts';
import { type Sizes, sizes } from './sizes.ts';

/** All that is known of a trace before anything is decided. */
export interface Scene {
  readonly recording: Recording;
  readonly trace: DeviceTrace;
  readonly life: Lifetimes;
  readonly bytes: Summary;
  readonly roleOf: RowRole;
  readonly phases: Phases;
  readonly steps: Steps;
  readonly sizes: Sizes;
}

const known = new WeakMap<DeviceTrace, Scene>();

export function scene(recording: Recording, trace: DeviceTrace): Scene {
  let found = known.get(trace);
  if (!found) {
    found = survey(recording, trace);
    known.set(trace, found);
  }
  return found;
}

function survey(recording: Recording, trace: DeviceTrace): Scene {
  const life = lifetimes(trace);
  const roleOf = rowRoles(recording, life);
  const stretches = phases(recording, trace, life, roleOf);
  const loop = steps(stretches, trace.events);
  return {
    recording,
    trace,
    life,
    bytes: summary(trace),
    roleOf,
    phases: stretches,
    steps: loop,
    sizes: sizes(life, stretches, loop, roleOf, trace.events),
  };
}
