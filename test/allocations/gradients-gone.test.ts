import { describe, expect, it } from 'vitest';
import {
  gradientsGone,
  PHASE,
  type Phases,
  type TrainingPhase,
} from '../../src/analyses/allocations/evidence/phases.ts';
import { random } from '../support/random.ts';

const phasesOf = (kinds: readonly TrainingPhase[]): Phases => ({
  count: kinds.length,
  kind: Uint8Array.from(kinds),
  start: Int32Array.from(kinds, (_kind, at) => 10 * at),
  source: 'call stacks',
  optimizers: [],
});

/** As one would say it: look for the next step of the optimizer, then for the next backward pass. */
function oneByOne({ count, kind, start }: Phases, at: number): number {
  let next = at + 1;
  while (next < count && kind[next] !== PHASE.optimizer) next++;
  while (next < count && kind[next] !== PHASE.backward) next++;
  return next < count ? start[next]! : Number.POSITIVE_INFINITY;
}

describe('when gradients that are dropped are gone', () => {
  const { forward, backward, optimizer } = PHASE;

  it('is the next step’s backward pass, over a second backward pass of the same step', () => {
    const phases = phasesOf([forward, backward, forward, backward, optimizer, forward, backward]);
    expect([...gradientsGone(phases)]).toEqual([60, 60, 60, 60, Infinity, Infinity, Infinity]);
  });

  it('is never where no optimizer runs', () => {
    const phases = phasesOf([forward, backward, forward, backward]);
    expect([...gradientsGone(phases)]).toEqual(new Array(4).fill(Infinity));
  });

  it('is found by one pass as by looking ahead from each stretch', () => {
    const next = random(7);
    const kinds = Object.values(PHASE);
    for (let round = 0; round < 200; round++) {
      const phases = phasesOf(
        Array.from({ length: 30 }, () => kinds[Math.floor(next() * kinds.length)]!),
      );
      const expected = Array.from({ length: 30 }, (_none, at) => oneByOne(phases, at));
      expect([...gradientsGone(phases)]).toEqual(expected);
    }
  });
});
