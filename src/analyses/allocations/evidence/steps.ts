import { lastUpTo } from '../../../base/search.ts';
import { PHASE, type Phases, phaseAt, phaseEnd } from './phases.ts';

/** Steps of a training or an inference loop, found in the trace itself. */
export interface TrainingSteps {
  readonly count: number;
  /** First event of each step. */
  readonly start: Int32Array;
  /** First event after it. */
  readonly end: Int32Array;
  /** What ends a step. */
  readonly by: 'optimizer' | 'backward' | 'forward' | 'none';
}

export function findSteps(phases: Phases, events: number): TrainingSteps {
  if (phases.kind.includes(PHASE.optimizer)) {
    return byEnds(phases, endsOf(phases, PHASE.optimizer, events), events, 'optimizer');
  }
  if (phases.kind.includes(PHASE.backward)) {
    return byEnds(phases, endsOf(phases, PHASE.backward, events), events, 'backward');
  }
  return byPasses(phases, events);
}

/** Ends of all stretches of a kind; of those that follow one another at once, the last. */
function endsOf(phases: Phases, kind: number, events: number): number[] {
  const ends: number[] = [];
  let worked = false;
  for (let at = 0; at < phases.count; at++) {
    if (phases.kind[at] === PHASE.forward || phases.kind[at] === PHASE.backward) worked = true;
    if (phases.kind[at] !== kind) continue;
    // Two optimizers in a row (several parameter groups, a discriminator) end one step.
    if (!worked && ends.length > 0) ends[ends.length - 1] = phaseEnd(phases, at, events);
    else ends.push(phaseEnd(phases, at, events));
    worked = false;
  }
  return ends;
}

function byEnds(
  phases: Phases,
  ends: readonly number[],
  events: number,
  by: 'optimizer' | 'backward',
): TrainingSteps {
  const first = phases.kind.findIndex((kind) => kind !== PHASE.setup);
  const start = [first >= 0 ? phases.start[first]! : 0];
  const end = [...ends];
  for (const at of ends) start.push(at);
  // What follows the last whole step counts as one when work goes on in it.
  const tail = start.at(-1)!;
  let worked = false;
  for (let at = Math.max(0, phaseAt(phases, tail)); at < phases.count; at++) {
    const kind = phases.kind[at];
    if (phases.start[at]! >= tail && (kind === PHASE.forward || kind === PHASE.backward)) {
      worked = true;
    }
  }
  if (worked) end.push(events);
  else start.pop();
  return { count: end.length, start: Int32Array.from(start), end: Int32Array.from(end), by };
}

/** Without any backward pass each forward pass is a step. */
function byPasses(phases: Phases, events: number): TrainingSteps {
  const start = [...phases.start.filter((_, at) => phases.kind[at] === PHASE.forward)];
  const end = [...start.slice(1), events].slice(0, start.length);
  return {
    count: start.length,
    start: Int32Array.from(start),
    end: Int32Array.from(end),
    by: start.length > 0 ? 'forward' : 'none',
  };
}

/** The step an event lies in; -1 before the first. */
export function stepAt({ count, start }: TrainingSteps, event: number): number {
  return lastUpTo(start, event, count);
}
