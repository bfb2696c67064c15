import { describe, expect, it } from 'vitest';
import { type SweepRun, sweep } from '../../src/analyses/sweep/index.ts';
import { meanDifference } from '../../src/analyses/sweep/mean-difference.ts';
import { sweepMarkdown, sweepText } from '../../src/views/sweep/sweep.ts';
import { Random } from '../support/random.ts';

const MiB = 1024 ** 2;

describe('a difference between repeats', () => {
  it('is not judged from one run', () => {
    expect(meanDifference([10], [20, 21])).toEqual({
      bytes: 10.5,
      lowBytes: null,
      highBytes: null,
      withinNoise: null,
    });
  });

  it('is Welch’s 95 % interval', () => {
    // 3.7 degrees of freedom, taken as 3, which is wider.
    const { bytes, lowBytes, highBytes } = meanDifference([10, 12, 14], [30, 31, 35]);
    expect(bytes).toBe(20);
    const half = 3.182 * Math.sqrt(4 / 3 + 7 / 3);
    expect(lowBytes).toBeCloseTo(20 - half, 6);
    expect(highBytes).toBeCloseTo(20 + half, 6);
  });

  it('is noise where repeats overlap, or vary too much for their number', () => {
    expect(meanDifference([10, 12, 14], [13, 15, 17]).withinNoise).toBe(true);
    expect(meanDifference([10, 20], [21, 31]).withinNoise).toBe(true);
    expect(meanDifference([10, 10, 10], [10, 10, 10]).withinNoise).toBe(true);
    expect(meanDifference([10, 10, 10], [11, 11, 11]).withinNoise).toBe(false);
    expect(meanDifference([10, 10.5, 10.2], [90, 90.5, 90.1]).withinNoise).toBe(false);
  });

  it('seldom calls equal things different, and finds large differences', () => {
    const random = new Random(7);
    const draw = (n: number, middle: number) =>
      Array.from({ length: n }, () => middle + random.normal());
    const share = (n: number, apart: number) => {
      const judged = Array.from(
        { length: 2000 },
        () => meanDifference(draw(n, 100), draw(n, 100 + apart)).withinNoise,
      );
      return judged.filter((noise) => noise === false).length / judged.length;
    };
    expect(share(3, 0)).toBeLessThan(0.05);
    expect(share(5, 0)).toBeLessThan(0.05);
    expect(share(3, 6)).toBeGreaterThan(0.9);
    expect(share(5, 5)).toBeGreaterThan(0.99);
  });
});

const run = (state: SweepRun['state'], peak: number | null, more: Partial<SweepRun> = {}) => ({
  recording: 'x.hw',
  repeat: 1,
  state,
  exitCode: state === 'done' ? 0 : 1,
  signal: null,
  reason: state === 'failed' ? 'exit code 1: Boom | <b>' : null,
  figures:
    peak === null
      ? null
      : {
          series: 'tree.pss',
          baselineBytes: 0,
          peakBytes: peak * MiB,
          peakAboveBaselineBytes: peak * MiB,
          durationSeconds: 2,
        },
  ...more,
});

const head = {
  folder: 'out',
  name: 'x',
  command: ['x', '{k}'],
  params: [{ name: 'k', values: ['a', 'b'] }],
  repeat: 1,
  jobs: 1,
  series: 'tree.pss',
  plots: [],
  notes: [],
};
const row = (k: string, ...runs: SweepRun[]) => ({ name: `k=${k}`, params: { k }, runs });

describe('a sweep’s table', () => {
  it('takes figures of runs that went well, of the others where none did', () => {
    const found = sweep({ ...head, repeat: 2 }, [
      row('a', run('done', 100), run('failed', 900)),
      row('b', run('failed', 40), run('failed', 60)),
      row('c', run('waiting', null), run('interrupted', 5)),
    ]);
    expect(found.combinations.map((one) => [one.well, one.measured, one.peakBytes?.mean])).toEqual([
      [true, 1, 100 * MiB],
      [false, 2, 50 * MiB],
      [false, 0, undefined],
    ]);
    expect(found.runs).toEqual({ waiting: 1, running: 0, done: 1, failed: 3, interrupted: 1 });
    expect(found.differences).toEqual([]);
  });

  it('says nothing of noise when each ran once', () => {
    const once = sweep(head, [row('a', run('done', 100)), row('b', run('done', 104))]);
    expect(once.differences).toMatchObject([{ a: 'k=a', b: 'k=b', withinNoise: null }]);
    expect(sweepText(once)).not.toMatch(/noise|≈/);
    expect(sweepText(once)).toContain('  k     peak  above baseline  duration  exit');
    expect(sweepText(once)).toMatch(
      /^No combination stands out: peaks from 100 MiB to 104 MiB .* two runs of the same may be\.$/m,
    );
    const apart = sweep(head, [row('a', run('done', 100)), row('b', run('done', 140))]);
    expect(sweepText(apart)).toMatch(/^Highest: k=b/m);
    expect(apart.verdict.against.map(({ statement }) => statement).join()).toContain(
      'with one run of each',
    );
  });

  it('marks what is within noise, and keeps what failed', () => {
    const found = sweep({ ...head, repeat: 3 }, [
      row('a', run('done', 100), run('done', 104), run('done', 102)),
      row('b', run('done', 103), run('done', 101), run('done', 104)),
      row('c', run('done', 300), run('done', 301), run('done', 299)),
      row('d', run('failed', null), run('failed', null), run('failed', null, { repeat: 2 })),
    ]);
    const text = sweepText(found);
    expect(text).toMatch(/^Highest: k=c peaks at 300 MiB .* Lowest: k=a, 102 MiB\.$/m);
    expect(text).toMatch(/^ {2}b .* ≈ 0\.7 MiB .* ok$/m);
    expect(text).toMatch(/^ {2}c .* \+198 MiB .* ok$/m);
    expect(text).toMatch(/^ {2}d +– +– +– +– +– +code 1$/m);
    expect(text).toContain('Within noise (≈), so not to be told apart: k=a and k=b (0.7 MiB).');
    expect(text).toContain('failed: k=d, k=d, k=d #2: exit code 1: Boom | <b>');
    expect(sweepMarkdown(found)).toContain('Boom &#124; &#60;b&#62;');
  });

  it('says when nothing went well, or nothing differs', () => {
    expect(sweepText(sweep(head, [row('a', run('failed', 3))]))).toMatch(
      /^No combination went well/,
    );
    const same = [100, 101, 102].map((peak) => run('done', peak));
    const text = sweepText(sweep({ ...head, repeat: 3 }, [row('a', ...same), row('b', ...same)]));
    expect(text).toMatch(
      /^No combination stands out: peaks from 101 MiB to 101 MiB .* are within noise\.$/m,
    );
  });
});
