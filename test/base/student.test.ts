import { describe, expect, it } from 'vitest';
import { normalTail, studentTail } from '../../src/base/student.ts';

describe('tails of distributions', () => {
  it('agree with the tables', () => {
    expect(normalTail(1.959964)).toBeCloseTo(0.025, 6);
    expect(normalTail(-1)).toBeCloseTo(0.841345, 5);
    for (const [freedom, t] of [
      [5, 2.570582],
      [9, 2.262157],
      [21, 2.079614],
    ] as const) {
      expect(studentTail(t, freedom)).toBeCloseTo(0.025, 4);
      expect(studentTail(-t, freedom)).toBeCloseTo(0.975, 4);
    }
  });
});
