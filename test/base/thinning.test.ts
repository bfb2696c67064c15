import { describe, expect, it } from 'vitest';
import { thinned } from '../../src/base/thinning.ts';

const ramp = (length: number) => Float64Array.from({ length }, (_, i) => i);

describe('a thinned curve', () => {
  it('keeps every peak and trough, however short, and both ends', () => {
    const xs = ramp(100_000);
    const ys = xs.map((x) => Math.sin(x / 300));
    ys[43_210] = 9;
    ys[77_777] = -9;
    const few = thinned({ xs, ys }, 0, 99_999, 200);
    expect(few.xs.length).toBeLessThanOrEqual(800 + 4);
    expect([few.xs[0], few.xs.at(-1)]).toEqual([0, 99_999]);
    expect(few.xs[few.ys.indexOf(9)]).toBe(43_210);
    expect(few.xs[few.ys.indexOf(-9)]).toBe(77_777);
    expect(few.xs.every((x, i) => i === 0 || x > few.xs[i - 1]!)).toBe(true);
  });

  it('of a stretch has one point on either side, and all of it where that is little', () => {
    const xs = ramp(1000);
    const { xs: part } = thinned({ xs, ys: xs }, 100.5, 110.5, 50);
    expect([...part]).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111]);
  });

  it('stays broken where nothing was measured', () => {
    const xs = ramp(10_000);
    const ys = xs.map((x) => (x === 5000 ? Number.NaN : 1));
    const few = thinned({ xs, ys }, 0, 9999, 10);
    const gaps = [...few.ys].filter(Number.isNaN).length;
    expect(gaps).toBe(1);
    expect(few.xs[few.ys.findIndex(Number.isNaN)]).toBe(5000);
  });

  it('of nothing is nothing', () => {
    const none = { xs: new Float64Array(), ys: new Float64Array() };
    expect(thinned(none, 0, 1, 10).xs.length).toBe(0);
  });
});
