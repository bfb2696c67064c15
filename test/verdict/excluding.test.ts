import { describe, expect, it } from 'vitest';
import { excluding } from '../../src/analyses/verdict/failure/excluding.ts';

const sum = (some: readonly number[]) => some.reduce((all, one) => all + one, 0);

describe('causes of which one alone can be the one', () => {
  it('leaves those alone that add up to one or less', () => {
    expect(excluding([0.6, 0.35])).toEqual([0.6, 0.35]);
    expect(excluding([0.97])).toEqual([0.97]);
    expect(excluding([])).toEqual([]);
  });

  it('makes one less sure that has a rival, and keeps their order', () => {
    const [first, second] = excluding([0.92, 0.85]);
    expect(first! + second!).toBeCloseTo(1);
    expect(first).toBeLessThan(0.65);
    expect(first).toBeGreaterThan(second!);
  });

  it('minds a rival the less the further behind it is', () => {
    const near = excluding([0.9, 0.7])[0]!;
    const far = excluding([0.9, 0.2])[0]!;
    expect(far).toBeGreaterThan(near);
    expect(far).toBeGreaterThan(0.8);
  });

  it('halves two that are the same, and bears none and many', () => {
    for (const one of excluding([0.97, 0.97])) expect(one).toBeCloseTo(0.5);
    expect(excluding([0, 0])).toEqual([0, 0]);
    expect(sum(excluding([0.97, 0.9, 0.5, 0.4, 0.05, 0]))).toBeCloseTo(1);
  });
});
