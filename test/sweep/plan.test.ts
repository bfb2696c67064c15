import { describe, expect, it } from 'vitest';
import { fileStems } from '../../src/sweep/file-names.ts';
import { combinationName, combinations } from '../../src/sweep/grid.ts';
import { parseParam } from '../../src/sweep/params.ts';
import { checkPlan, commandOf, envOf, plannedRuns, type SweepPlan } from '../../src/sweep/plan.ts';
import { fill } from '../../src/sweep/template.ts';
import { secondsLeft } from '../../src/sweep/time-left.ts';

const plan = (params: string[], command: string[], more: Partial<SweepPlan> = {}): SweepPlan => ({
  name: 'run',
  command,
  env: [],
  params: params.map(parseParam),
  repeat: 1,
  recordFlags: [],
  ...more,
});

describe('a parameter', () => {
  it.each([
    ['kernel=direct,fft', ['direct', 'fft']],
    ['batch=1..4', ['1', '2', '3', '4']],
    ['batch=8..32..8', ['8', '16', '24', '32']],
    ['x=2..-1', ['2', '1', '0', '-1']],
    ['x=0,2..3,9', ['0', '2', '3', '9']],
    ['x=1\\,2,3', ['1,2', '3']],
    ['x=1\\..3', ['1..3']],
    ['x=a\\\\b', ['a\\b']],
    ['x=a=b', ['a=b']],
    ['x=../../etc,a b', ['../../etc', 'a b']],
  ])('%s', (text, values) => expect(parseParam(text).values).toEqual(values));

  it.each([
    ['kernel', /is no parameter/],
    ['=a', /is no parameter/],
    ['1x=a', /is no parameter/],
    ['x=', /empty value/],
    ['x=a,', /empty value/],
    ['x=a,b,a', /'a' twice/],
    ['x=1..3,2', /'2' twice/],
    ['x=1..99999999', /too many values/],
    ['x=1..3..0', /too many values/],
  ])('%s is refused', (text, message) => expect(() => parseParam(text)).toThrow(message));
});

describe('the grid', () => {
  it('varies the last parameter fastest', () => {
    const all = combinations([parseParam('a=1,2'), parseParam('b=x,y')], 1);
    expect(all.map(combinationName)).toEqual(['a=1,b=x', 'a=1,b=y', 'a=2,b=x', 'a=2,b=y']);
  });

  it('is refused when it is too large, or names a parameter twice', () => {
    const a = parseParam('a=1..200');
    expect(() => combinations([a, { ...a, name: 'b' }], 1)).toThrow(/40000 runs/);
    expect(() => combinations([a, a], 1)).toThrow(/'a' is given twice/);
  });

  it('runs every combination once before any is repeated', () => {
    const runs = plannedRuns(plan(['a=1,2'], ['true', '{a}'], { repeat: 2 }));
    expect(runs.map((run) => run.recording)).toEqual(['a=1.hw', 'a=2.hw', 'a=1#2.hw', 'a=2#2.hw']);
  });
});

describe('places in words', () => {
  it('are filled, also inside a word; other braces stay', () => {
    const values = { batch: '4', 'lr-max': '{batch}' };
    expect(fill('--batch={batch}x{batch}', values)).toBe('--batch=4x4');
    expect(fill('{"a":{batch},"b":{"c":{}}}', values)).toBe('{"a":4,"b":{"c":{}}}');
    expect(fill('{{batch}} sh {{HOME}} {print $1}', values)).toBe('{batch} sh {HOME} {print $1}');
    // A value is never read as a template itself.
    expect(fill('{lr-max}', values)).toBe('{batch}');
  });

  it('set variables and flags too', () => {
    const one = plan(['a=1'], ['x', '{a}'], { env: ['V=<{a}=>'] });
    expect(envOf(one, { a: '1' })).toEqual({ V: '<1=>' });
    expect(commandOf(one, { a: '1' })).toEqual(['x', '1']);
  });

  it.each([
    [['kernel=a'], ['x', '{kernal}'], /no parameter for \{kernal\}/, 'did you mean {kernel}?'],
    [['kernel=a'], ['x', '{kernel}', '{zzz}'], /no parameter for \{zzz\}/, 'add --param zzz=…'],
    [['a=1', 'b=2'], ['x', '{a}'], /'b' is not used/, 'put {b} into the command'],
    [[], ['x'], /needs a parameter/, '--param batch=4,8,16'],
    [['a=1'], [], /needs a command/, 'highwater sweep'],
  ])('%s with %s is refused', (params, command, message, hint) => {
    const check = () => checkPlan(plan(params, command));
    expect(check).toThrow(message);
    try {
      check();
    } catch (error) {
      expect((error as { hint: string }).hint).toContain(hint);
    }
  });

  it('may all be in variables or in the recorder’s flags', () => {
    checkPlan(plan(['a=1', 'b=2'], ['x'], { env: ['A={a}'], recordFlags: ['--log', '{b}.txt'] }));
    expect(() => checkPlan(plan(['a=1'], ['{a}'], { env: ['1A={a}'] }))).toThrow(
      /sets no variable/,
    );
  });
});

describe('file names', () => {
  const stems = (...values: string[]) => fileStems(values.map((v) => ({ v })));

  it('are the combination where that is safe', () => {
    expect(stems('fft', 'im2col-1.5')).toEqual(['v=fft', 'v=im2col-1.5']);
  });

  it('never leave the folder and are never the same', () => {
    const hostile = ['../../etc/passwd', '..\\..', '/abs', 'a/b', 'a_b', 'a\\b', '.', '..', 'a\nb'];
    const more = ['A', 'a', 'ß', 'ẞ', ' ', '%', '~', '#2', 'x'.repeat(500), 'x'.repeat(501), '-rf'];
    const all = stems(...hostile, ...more);
    expect(new Set(all.map((name) => name.toLowerCase())).size).toBe(all.length);
    for (const name of all) {
      expect(name).toMatch(/^v=[\w.+=,~-]*$/);
      expect(name.length).toBeLessThan(180);
    }
  });
});

describe('the time left', () => {
  it('is what the same combination took, else the mean, less what is spent', () => {
    expect(secondsLeft([], [{ combination: 'a', spent: 0 }], 1)).toBeNull();
    const took = [
      { combination: 'a', seconds: 2 },
      { combination: 'b', seconds: 10 },
    ];
    const left = ['a', 'b', 'c'].map((combination) => ({ combination, spent: 0 }));
    expect(secondsLeft(took, left, 1)).toBe(2 + 10 + 6);
    expect(secondsLeft(took, left, 2)).toBe(9);
    expect(secondsLeft(took, [{ combination: 'b', spent: 4 }], 8)).toBe(6);
    expect(secondsLeft(took, [{ combination: 'b', spent: 99 }], 1)).toBe(0);
  });
});
