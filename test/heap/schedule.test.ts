import { describe, expect, it } from 'vitest';
import { HeapSchedule } from '../../src/record/heaps/heap-schedule.ts';

/** Takes heaps until the run ends; when those were taken that stay, and how many were taken. */
function spread(most: number, end: number, duration: number | null = null) {
  const schedule = new HeapSchedule(most, duration);
  const kept: number[] = [];
  let taken = 0;
  for (let at = schedule.next(); at < end; at = schedule.next(), taken++) {
    kept.push(at);
    const surplus = schedule.taken(at, 0.1);
    if (surplus !== null) kept.splice(surplus, 1);
  }
  return { kept, taken };
}

describe('when heaps are taken', () => {
  it('leaves as many as were asked for, once the run is long enough', () => {
    for (const most of [1, 2, 3, 5, 10]) {
      for (const end of [3 * most + 4, 200, 5000, 600_000]) {
        expect(spread(most, end).kept, `${most} in ${end} s`).toHaveLength(most);
      }
    }
  });

  it('spreads them over runs of any length, first and last among them', () => {
    for (const end of [60, 1000, 86_400]) {
      const { kept, taken } = spread(5, end);
      expect(kept[0]).toBe(3);
      expect(kept.at(-1)).toBeGreaterThan(0.7 * end);
      const gaps = kept.slice(1).map((at, i) => at - kept[i]!);
      expect(Math.max(...gaps)).toBeLessThan(0.5 * end);
      expect(taken).toBeLessThan(60);
    }
  });

  it('plans them all where the end is known', () => {
    const { kept, taken } = spread(4, 100, 100);
    expect(kept).toEqual([20, 45, 70, 95]);
    expect(taken).toBe(4);
  });

  it('lets the program run most of the time, and tries again where there was none', () => {
    const schedule = new HeapSchedule(3, null);
    schedule.missed(3);
    expect(schedule.next()).toBe(4);
    schedule.taken(4, 6);
    expect(schedule.next()).toBe(4 + 6 / 0.3);
  });
});
