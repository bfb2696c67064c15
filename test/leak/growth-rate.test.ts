import { describe, expect, it } from 'vitest';
import { growthRate } from '../../src/analyses/leak/kind/growth-rate.ts';
import { SECOND_NS } from '../../src/base/time.ts';

/** Forty iterations, one a second, from the sixtieth second on. */
const iterations = {
  times: Float64Array.from({ length: 40 }, (_, i) => (60 + i) * SECOND_NS),
  numbers: Float64Array.from({ length: 40 }, (_, i) => i),
};
const span = { startNs: 0, endNs: 101e9, zeroNs: 0, startKnown: true, endKnown: true };

/** A reading every two seconds: loading takes 9 in a second, an iteration 3. */
function readings(fromSeconds: number, toSeconds: number) {
  const times = Float64Array.from({ length: (toSeconds - fromSeconds) / 2 }, (_, i) => {
    return (fromSeconds + 2 * i) * SECOND_NS;
  });
  const values = times.map((ns) => {
    const seconds = ns / SECOND_NS;
    return 9 * Math.min(60, seconds) + 3 * Math.max(0, seconds - 60);
  });
  return { name: 'malloc.in_use', times, values };
}

describe('the rate at which something grows by iterations', () => {
  const rate = growthRate('iterations', iterations, span);

  it('leaves out what was read before the first', () => {
    expect(rate.slope(readings(0, 100))).toBeCloseTo(3, 6);
    expect(rate.slope(readings(60, 100))).toBeCloseTo(3, 6);
  });

  it('is known of six exact readings, however much time lies between them', () => {
    expect(rate.slope(readings(0, 72))).toBeCloseTo(3, 6);
    const { name, times, values } = readings(60, 100);
    const some = (_: number, i: number) => i % 3 === 0;
    expect(times.filter(some)).toHaveLength(7);
    expect(rate.slope({ name, times: times.filter(some), values: values.filter(some) })).toBe(3);
  });

  it('is not known of what was read before the first only, or hardly since', () => {
    expect(rate.slope(readings(0, 60))).toBeNull();
    expect(rate.slope(readings(0, 70))).toBeNull();
  });
});
