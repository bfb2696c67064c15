import { describe, expect, it } from 'vitest';
import { type Holdings, MALLOC, moreThanUsual } from '../../src/analyses/ranks/holdings.ts';
import { MiB } from '../../src/base/bytes.ts';

const BATCH = 'tensors [1024, 2048] float32, held by batch in train() at train.py:20';

/** Two ranks that hold the usual, and one that holds `more`. */
const held = (more: Readonly<Record<string, number>>): Holdings => {
  const usual = { [MALLOC]: 200, [BATCH]: 32, 'free memory that malloc keeps': 10 };
  const rank = (of: Readonly<Record<string, number>>) =>
    new Map(Object.entries(of).map(([what, mib]) => [what, mib * MiB]));
  return new Map([
    [0, rank(usual)],
    [1, rank({ ...usual, ...more })],
    [2, rank(usual)],
  ]);
};

const named = (more: Readonly<Record<string, number>>) =>
  moreThanUsual(1, held(more)).map(({ what }) => what);

describe('what a rank holds more of', () => {
  it('names a holder before the allocator’s total that it explains', () => {
    expect(named({ [MALLOC]: 380, [BATCH]: 210 })).toEqual([BATCH, MALLOC]);
  });

  it('names the total first where no holder explains most of it', () => {
    expect(named({ [MALLOC]: 900, [BATCH]: 210 })).toEqual([MALLOC, BATCH]);
  });

  it('takes free memory for no part of what is in use', () => {
    expect(named({ [MALLOC]: 300, 'free memory that malloc keeps': 105 })[0]).toBe(MALLOC);
  });

  it('says nothing of what is as usual', () => {
    expect(named({})).toEqual([]);
  });
});
