import { lastUpTo } from '../../../base/search.ts';

/** What the program was doing, over the events of a trace. */
export const PHASE = { setup: 0, between: 1, forward: 2, backward: 3, optimizer: 4 } as const;
export type TrainingPhase = (typeof PHASE)[keyof typeof PHASE];

/** Stretches while they are found: kinds and first events. */
export interface PhaseList {
  readonly kind: TrainingPhase[];
  readonly start: number[];
}

export interface Phases {
  readonly count: number;
  readonly kind: Uint8Array;
  /** First event of each stretch; the next one's start, or the trace's end, ends it. */
  readonly start: Int32Array;
  /** What they were told by. */
  readonly source: 'call stacks' | 'annotations and lifetimes' | 'lifetimes' | 'none';
  readonly optimizers: readonly string[];
}

/** The stretch an event lies in; -1 before the first. */
export function phaseAt({ count, start }: Phases, event: number): number {
  return lastUpTo(start, event, count);
}

/** The first event after a stretch. */
export function phaseEnd(phases: Phases, at: number, events: number): number {
  return at + 1 < phases.count ? phases.start[at + 1]! : events;
}

/**
 * By stretch: where the first backward pass begins that comes after an optimizer's step after it; infinite where none does. Gradients
 * that are dropped are gone by then, and so is what a forward pass saved.
 */
export function gradientsGone({ count, kind, start }: Phases): Float64Array {
  const gone = new Float64Array(count);
  let [backward, afterStep] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let at = count - 1; at >= 0; at--) {
    gone[at] = afterStep;
    if (kind[at] === PHASE.optimizer) afterStep = backward;
    else if (kind[at] === PHASE.backward) backward = start[at]!;
  }
  return gone;
}
