import { describe, expect, it } from 'vitest';
import { pairedRatio, totalRatio } from '../../bench/paired.ts';
import { Random } from '../support/random.ts';

/** Pairs of one true ratio, on a machine that drifts by half and has a neighbour now and then. */
function pairs(random: Random, ratio: number, count: number): [number, number][] {
  return Array.from({ length: count }, (_, i) => {
    const level = 1 + 0.5 * Math.sin(i / 9);
    const noise = () => Math.exp(0.02 * random.normal());
    const neighbour = () => (random.uniform() < 0.05 ? 3 : 1);
    return [ratio * level * noise() * neighbour(), level * noise() * neighbour()];
  });
}

describe('the ratio of pairs', () => {
  it('has the true one within its interval about as often as it says', () => {
    const random = new Random(7);
    const runs = 400;
    let within = 0;
    for (let run = 0; run < runs; run++) {
      const { low, high } = pairedRatio(pairs(random, 1.01, 75));
      if (low <= 1.01 && 1.01 <= high) within++;
    }
    expect(within / runs).toBeGreaterThan(0.92);
    expect(within / runs).toBeLessThanOrEqual(0.99);
  });

  it('finds one percent among noise of two, drift of fifty and neighbours of two hundred', () => {
    const { ratio, low, high } = pairedRatio(pairs(new Random(11), 1.01, 150));
    expect(Math.abs(ratio - 1.01)).toBeLessThan(0.006);
    expect((high - low) / 2).toBeLessThan(0.008);
  });

  it('is exact where there is no noise, and the total leaves nothing out', () => {
    const { ratio, low, high } = pairedRatio([
      [2, 1],
      [4, 2],
      [6, 3],
      [8, 4],
      [10, 5],
    ]);
    for (const value of [ratio, low, high]) expect(value).toBeCloseTo(2, 12);
    expect(
      totalRatio([
        [1, 1],
        [9, 1],
      ]),
    ).toBe(5);
  });
});
