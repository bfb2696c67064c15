import { describe, expect, it } from 'vitest';
import { compare } from '../../src/analyses/compare/index.ts';
import { overlay } from '../../src/analyses/overlay.ts';
import { MiB } from '../../src/base/bytes.ts';
import { shortNames } from '../../src/base/short-names.ts';
import { comparisonMarkdown, comparisonText } from '../../src/views/compare/comparison.ts';
import { drawRecording } from '../analyses/drawn.ts';
import { gpuRun, variants } from './runs.ts';

const tree = (name: string, pss: readonly number[], marks: readonly string[] = []) => ({
  name,
  recording: drawRecording({
    at: pss.map((_, i) => i),
    host: { MemTotal: pss.map(() => 900), MemAvailable: pss.map(() => 500) },
    processes: [{ pid: 1, role: 'main', rss: pss.map((mib) => mib + 10), pss }],
    marks,
  }),
});

describe('compare', () => {
  it('the five logs: what the contract names, in MiB', async () => {
    const result = compare(await variants());
    expect(result).toMatchObject({ type: 'comparison', schemaVersion: 1, series: 'gpu0.used' });
    const rows = result.runs.map((run) => [
      run.name,
      run.samples,
      run.intervalSeconds,
      run.baselineBytes / MiB,
      run.peakBytes / MiB,
      run.peakSample,
      run.peakAboveBaselineBytes / MiB,
      run.durationSeconds,
    ]);
    expect(rows).toEqual([
      ['cudnn', 1530, 0.01, 839, 2183, 1284, 1344, 15.29],
      ['direct', 1538, 0.01, 839, 2213, 1315, 1374, 15.37],
      ['fft', 1794, 0.01, 839, 11619, 1534, 10780, 17.93],
      ['im2col', 1585, 0.01, 839, 2295, 1372, 1456, 15.84],
      ['winograd', 1627, 0.01, 839, 2359, 1412, 1520, 16.26],
    ]);
    expect(result.differences.length).toBe(10);
    expect(result.differences[1]).toMatchObject({
      a: 'cudnn',
      b: 'fft',
      peakBytes: 9436 * MiB,
      peakAboveBaselineBytes: 9436 * MiB,
      peakRatio: 11619 / 2183,
    });
    expect(result.differences[1]!.durationSeconds).toBeCloseTo(2.64, 9);
    // What all five assume is said once.
    expect(result.notes.filter((text) => text.includes('10 ms apart'))).toHaveLength(1);
  });

  it('against one run', async () => {
    const { differences } = compare(await variants(), { baseline: 'im2col' });
    expect(differences.map(({ a, b }) => `${a} ${b}`)).toEqual([
      'im2col cudnn',
      'im2col direct',
      'im2col fft',
      'im2col winograd',
    ]);
    expect(() => compare([gpuRun('a', { 0: [1] })], { baseline: 'b' })).toThrow(
      /no run 'b' to hold the others against/,
    );
  });

  it('a process tree has nothing before it: its baseline is zero', () => {
    const [a] = compare([tree('a', [40, 180, 50]), tree('b', [30, 90, 60])]).runs;
    expect(a).toMatchObject({
      series: 'tree.pss',
      baselineBytes: 0,
      peakAboveBaselineBytes: 180 * MiB,
      peakSample: 2,
      timesLowest: 2,
    });
  });

  it('iterations, and what one of them took', () => {
    const marks = ['start@0', 'iteration 1@1', 'iteration 2@1.5', 'iteration 3@2', 'end@2.5'];
    const [run] = compare([tree('a', [1, 2, 3], marks)]).runs;
    expect(run).toMatchObject({ durationSeconds: 2.5, secondsPerIteration: expect.any(Number) });
  });

  it('names those that lack what was asked for, and goes on', () => {
    const result = compare([tree('a', [40, 180]), gpuRun('g', { 0: [1, 2] })], {
      series: 'tree.pss',
    });
    expect(result.runs.map(({ name }) => name)).toEqual(['a']);
    expect(result.skipped).toEqual([
      { name: 'g', reason: "it has no series 'tree.pss', but gpu0.used" },
    ]);
    expect(compare([drawNothing()]).skipped[0]!.reason).toBe('it has no memory samples');
  });

  it('calls a difference that one run each cannot show a tie', () => {
    const { verdict } = compare([tree('a', [40, 33.8]), tree('b', [40, 41])]);
    expect(verdict.cause.code).toBe('alike');
    const text = comparisonText(compare([tree('a', [1, 339]), tree('b', [1, 338])]));
    expect(text).toMatch(/^No run stands out: peaks from 338 MiB to 339 MiB/);
  });

  it('says plainly when the runs are not of one measure', () => {
    const result = compare([tree('a', [40, 180]), gpuRun('g', { 0: [1, 200] })]);
    expect(result).toMatchObject({ series: null, comparable: false, differences: [] });
    expect(result.runs.map(({ series }) => series)).toEqual(['tree.pss', 'gpu0.used']);
    expect(result.notes[0]).toMatch(/not of one measure.*a: tree.pss, g: gpu0.used/);
    expect(comparisonText(result)).toMatch(/^2 runs of different measures.\n\n +run +series +peak/);
  });

  it.each<[string, Parameters<typeof gpuRun>[1], Parameters<typeof gpuRun>[1], string[]]>([
    ['the busy card', { 0: [5, 5], 1: [5, 900] }, { 0: [5, 6], 1: [5, 700] }, ['gpu1', 'gpu1']],
    ['each its own', { 0: [5, 900], 1: [5, 5] }, { 0: [5, 5], 1: [5, 700] }, ['gpu0', 'gpu1']],
    [
      'one card of many that are all busy',
      { 0: [5, 900], 1: [5, 890] },
      { 0: [5, 800], 1: [5, 810] },
      ['gpu0', 'gpu0'],
    ],
    ['an idle one for lack of others', { 0: [5, 5] }, { 0: [5, 5] }, ['gpu0', 'gpu0']],
  ])('of several GPUs: %s', (_, a, b, cards) => {
    const { runs } = compare([gpuRun('a', a), gpuRun('b', b)]);
    expect(runs.map(({ series }) => series)).toEqual(cards.map((card) => `${card}.used`));
  });
});

function drawNothing() {
  return { name: 'empty', recording: drawRecording({}) };
}

describe('tables', () => {
  it('for a terminal: highest first, the ratio to the lowest', async () => {
    const text = comparisonText(compare(await variants()));
    expect(text).toMatch(
      /^fft peaks highest: 10,780 MiB above its baseline \(GPU 0, in use\), 8\.02 × that of cudnn/,
    );
    const names = [...text.matchAll(/^ {2}(\w+) .* 10 ms$/gm)].map((match) => match[1]);
    expect(names).toEqual(['fft', 'winograd', 'im2col', 'direct', 'cudnn']);
    expect(text).not.toMatch(/exit|iteration|difference/);
  });

  it('two runs show their difference; names cannot break a page', () => {
    const pair = compare([gpuRun('a|b', { 0: [0, 100] }), gpuRun('<c>', { 0: [0, 50] })]);
    const markdown = comparisonMarkdown(pair);
    expect(markdown).toContain('| &#60;c&#62; − a&#124;b | −50 MiB | −50 MiB | 0.50 × |');
    expect(comparisonText(pair)).toContain('<c> − a|b');
  });

  it('one run, equal runs', () => {
    const one = gpuRun('a', { 0: [1, 31] });
    expect(comparisonText(compare([one]))).toMatch(/^a peaks at 31 MiB .*30 MiB above/);
    expect(comparisonText(compare([one, { ...one, name: 'b' }]))).toMatch(
      /^All 2 runs peak alike: 30 MiB/,
    );
  });
});

describe('overlay', () => {
  it('takes off the first sample of each run, or not', () => {
    const runs = [gpuRun('a', { 0: [100, 300, 50] })];
    const [a] = overlay(runs).lines;
    expect([...a!.bytes].map((bytes) => bytes / MiB)).toEqual([0, 200, -50]);
    expect(a).toMatchObject({ subtracted: 100 * MiB, peak: { bytes: 200 * MiB, seconds: 1 } });
    expect(overlay(runs, { baseline: 'absolute' }).lines[0]!.peak.bytes).toBe(300 * MiB);
  });

  it('lays first iterations over each other, and names runs without', () => {
    const with_ = tree('a', [1, 2, 3], ['start@0', 'iteration 1@1.5']);
    const data = overlay([with_, tree('b', [1, 2, 3])], { align: 'first-iteration' });
    expect(data.lines[0]!.seconds[0]).toBe(-1.5);
    expect(data.skipped).toEqual([{ name: 'b', reason: 'it has no iteration to align at' }]);
  });
});

describe('short names', () => {
  it.each([
    [
      ['memory_cudnn.txt', 'memory_fft.txt'],
      ['cudnn', 'fft'],
    ],
    [
      ['kernel=fft', 'kernel=direct'],
      ['fft', 'direct'],
    ],
    [
      ['lr-0.1', 'lr-0.2'],
      ['0.1', '0.2'],
    ],
    [
      ['x=-1', 'x=-2'],
      ['-1', '-2'],
    ],
    [
      ['batch=8,size=1', 'batch=16,size=1'],
      ['8', '16'],
    ],
    [
      ['train', 'training'],
      ['train', 'training'],
    ],
    [
      ['run', 'run-2'],
      ['run', 'run-2'],
    ],
    [['only.txt'], ['only.txt']],
  ])('%j', (names, short) => {
    expect(shortNames(names)).toEqual(short);
  });
});
