import { describe, expect, it } from 'vitest';
import { Pyramid } from '../../src/model/pyramid.ts';
import { random as seeded } from '../support/random.ts';

function slow(values: Float64Array, from: number, to: number) {
  const part = values.subarray(from, to).filter((value) => !Number.isNaN(value));
  return { lowest: Math.min(...part), highest: Math.max(...part) };
}

describe('a pyramid', () => {
  it('finds the extremes of any stretch', () => {
    const random = seeded(7);
    const values = Float64Array.from({ length: 5000 }, () =>
      random() < 0.02 ? Number.NaN : Math.floor(random() * 1e6),
    );
    const pyramid = new Pyramid(values);
    for (let round = 0; round < 500; round++) {
      const from = Math.floor(random() * 4990);
      const to = from + 8 + Math.floor(random() * (5000 - from - 8));
      const { lowest, highest } = pyramid.extremes(from, to);
      expect(lowest).toBeGreaterThanOrEqual(from);
      expect(highest).toBeLessThan(to);
      expect({ lowest: values[lowest], highest: values[highest] }).toEqual(slow(values, from, to));
    }
  });

  it('takes nothing and NaN alone', () => {
    expect(new Pyramid(new Float64Array()).extremes(0, 0)).toEqual({ lowest: 0, highest: 0 });
    const broken = new Pyramid(new Float64Array(100).fill(Number.NaN));
    expect(broken.extremes(3, 90)).toEqual({ lowest: 3, highest: 3 });
  });
});
