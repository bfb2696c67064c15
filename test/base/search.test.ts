import { describe, expect, it } from 'vitest';
import { countBefore, firstFrom, lastUpTo } from '../../src/base/search.ts';

describe('search in rising values', () => {
  const times = Float64Array.of(1, 3, 3, 3, 7);

  it('finds the first of equal ones, and the last', () => {
    expect(firstFrom(times, 3)).toBe(1);
    expect(lastUpTo(times, 3)).toBe(3);
  });

  it('finds the neighbours of a value that is not there', () => {
    expect(firstFrom(times, 5)).toBe(4);
    expect(lastUpTo(times, 5)).toBe(3);
  });

  it('says so where all values are on the other side, or there are none', () => {
    expect([firstFrom(times, 8), firstFrom(times, 0)]).toEqual([5, 0]);
    expect([lastUpTo(times, 0), lastUpTo(times, 9)]).toEqual([-1, 4]);
    expect([firstFrom([], 1), lastUpTo([], 1)]).toEqual([0, -1]);
  });

  it('looks no further than it is told', () => {
    expect([firstFrom(times, 7, 2), lastUpTo(times, 7, 2)]).toEqual([2, 1]);
  });

  it('asks about few of many', () => {
    let asked = 0;
    const isBefore = (index: number) => {
      asked++;
      return index < 654_321;
    };
    expect(countBefore(1_000_000, isBefore)).toBe(654_321);
    expect(asked).toBeLessThan(25);
  });
});
