import { expect, it } from 'vitest';
import { keeperOf, keepingOf } from '../../src/analyses/verdict/failure/holder.ts';

// Holders as the agent has told them of real programs.
it.each([
  ['tuple of 2 in list of 8 in user-1 in sessions of Server', 'keyed'],
  ['img00001.jpg in cache of Encoder', 'keyed'],
  ['list of 46 in predictions in predict() at predictions.py:12', 'local'],
  ['list of 362 in seen of FeatureLog', 'other'],
  ['tuple of 3 in list of 11680 in memory of Buffer', 'other'],
  ['list of 629 in history of __main__ at losses.py:9', 'other'],
  ['', 'other'],
])('%s: %s', (holder, keeping) => {
  expect(keepingOf(holder)).toBe(keeping);
});

it('what keeps graphs is named though its own tensors have four bytes each; a step’s own two are not', () => {
  const kept = {
    bytes: 1e9,
    blocks: 2500,
    bytesPerStep: 2e6,
    steps: 629,
    where: 'a.py:1',
    anew: false,
  };
  const of = (holder: string, what: string, count: number, bytes: number) => ({
    ...{ holder, what, count, bytes },
    shape: '[]',
  });
  const holders = [
    of('', 'ReluBackward0', 629, 9e8),
    of('exp_avg', '', 2, 8e6),
    of('history', 'MeanBackward0', 629, 2516),
  ];
  expect(keeperOf(kept, holders)?.keeper.holder).toBe('history');
  expect(keeperOf(kept, holders.slice(0, 2))).toBeNull();
  expect(keeperOf(kept, [])).toBeNull();
});
