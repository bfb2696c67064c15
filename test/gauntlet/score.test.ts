import { describe, expect, it } from 'vitest';
import { type ScoredReport, score } from './score.ts';
import { type Truth, truthFrom, truthsIn } from './truth.ts';

const truth = (given: Partial<Truth> & { leak: boolean }) => truthFrom(given, 'here.py');

/** A report as far as it is scored. */
function report(
  verdict: string,
  more: Record<string, unknown> = {},
  code = 'no-problem-seen',
): ScoredReport {
  const trend = {
    verdict,
    over: 'iterations',
    slope: { bytes: 1000, low: 900, high: 1100 },
    perHourBytes: 1000 * 3600 * 2, // two iterations a second
  };
  const leak = { verdict, because: 'so', culprit: null, trend, shelf: null, ...more };
  const ending = { oomKilled: false, code: 0, signal: null };
  return { leak, ending, verdict: { cause: { code } } } as unknown as ScoredReport;
}

describe('a leak', () => {
  const leaks = truth({ leak: true, slope: [1050, 2000], culprit: ['worker 3', 'bytes'] });

  it('is right where it is found and the interval reaches into the truth', () => {
    expect(score(leaks, report('leak'))).toMatchObject({ mark: 'right', slope: true });
  });

  it('is wrong where the interval lies beside the truth', () => {
    const beside = truth({ leak: true, slope: [1200, 2000] });
    expect(score(beside, report('leak'))).toMatchObject({ mark: 'wrong', slope: false });
  });

  it('counts by the second what was told by the iteration', () => {
    const perSecond = (slope: [number, number]) =>
      score(truth({ leak: true, slope, per: 'second' }), report('leak')).slope;
    expect(perSecond([2100, 2200])).toBe(true);
    expect(perSecond([1000, 1100])).toBe(false);
  });

  it('has what was left behind as its slope for a run', () => {
    const shelf = { leakedBytes: 20e6, uncertaintyBytes: 1e5 };
    const left = (slope: [number, number]) =>
      score(truth({ leak: true, slope, per: 'run' }), report('leak', { shelf })).mark;
    expect(left([20.05e6, 21e6])).toBe('right');
    expect(left([22e6, 23e6])).toBe('wrong');
  });

  it('has its culprit right where every pattern matches, in any case', () => {
    const blamed = (culprit: unknown) => score(leaks, report('leak', { culprit })).culprit;
    expect(blamed({ process: 'Worker 3', kind: 'bytes' })).toBe(true);
    expect(blamed({ process: 'worker 4', kind: 'bytes' })).toBe(false);
    expect(blamed(null)).toBe(false);
  });

  it('is wrong where it is cleared', () => {
    expect(score(leaks, report('bounded')).mark).toBe('wrong');
    expect(score(leaks, report('plateau')).mark).toBe('wrong');
  });

  it('is honest where it cannot be told, with a bound that holds', () => {
    const bounded = (bound: unknown) => score(leaks, report('inconclusive', { bound })).mark;
    expect(bounded({ bytesPerIteration: 1500 })).toBe('honest');
    expect(bounded({ bytesPerIteration: 500 })).toBe('wrong');
    expect(bounded({ bytesPerHour: 1500 * 2 * 3600 })).toBe('honest');
    expect(bounded({ bytesPerHour: 500 * 2 * 3600 })).toBe('wrong');
    expect(bounded(null)).toBe('wrong');
    expect(score(leaks, report('inconclusive')).mark).toBe('unbounded');
  });
});

describe('a clean program', () => {
  const clean = truth({ leak: false });

  it('is right where it is cleared, and a false alarm where it is not', () => {
    expect(score(clean, report('bounded'))).toMatchObject({ mark: 'right', falseAlarm: false });
    expect(score(clean, report('plateau')).mark).toBe('right');
    expect(score(clean, report('leak'))).toMatchObject({ mark: 'wrong', falseAlarm: true });
  });

  it('is honest where it cannot be told, whatever the bound', () => {
    const bound = { bytesPerIteration: 0 };
    expect(score(clean, report('inconclusive', { bound })).mark).toBe('honest');
  });

  it('that was killed must not be called out of memory', () => {
    const killed = truth({ leak: false, oom: false });
    expect(score(killed, report('bounded', {}, 'killed')).mark).toBe('right');
    expect(score(killed, report('bounded', {}, 'out-of-memory')).mark).toBe('wrong');
  });
});

describe('a truth', () => {
  it('stands in the first lines, one for each run', () => {
    const text =
      '# About.\n# truth: {"leak": true, "args": ["a"]}\n// truth: {"leak": false}\nimport os\n';
    expect(truthsIn(text, 'x.py')).toMatchObject([{ leak: true, args: ['a'] }, { leak: false }]);
  });

  it.each([
    ['no truth at all', 'import os\n', /no truth/],
    ['bad JSON', '# truth: {"leak": yes}', /no JSON/],
    ['a misspelt key', '# truth: {"leak": true, "culprits": "x"}', /no 'culprits'/],
    ['no answer', '# truth: {"args": []}', /does it leak/],
    ['a slope without a leak', '# truth: {"leak": false, "slope": [1, 2]}', /neither/],
  ])('with %s is refused', (_, text, message) => {
    expect(() => truthsIn(text, 'x.py')).toThrow(message);
  });
});
