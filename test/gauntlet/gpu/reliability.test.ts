import { describe, expect, it } from 'vitest';
import { reliability, reliabilityTable } from './reliability.ts';

const named = (certainty: number, right: boolean) => ({ certainty, right });

describe('how often a cause that is called so sure is right', () => {
  it('counts each in the band that it begins', () => {
    const causes = [
      ...[named(0.49, true), named(0.5, true), named(0.69, false)],
      ...[named(0.7, true), named(0.9, true), named(0.97, true)],
    ];
    expect(reliability(causes).map(({ named, right }) => [named, right])).toEqual([
      [2, 1],
      [1, 1],
      [2, 2],
    ]);
  });

  it('gives no share of nothing', () => {
    expect(
      reliabilityTable(reliability([named(0.6, true)]))
        .split('\n')
        .slice(2),
    ).toEqual([
      '| 50 % to 70 % | 1 | 1 | 100 % |',
      '| 70 % to 90 % | 0 | 0 |  |',
      '| 90 % or more | 0 | 0 |  |',
    ]);
  });
});
