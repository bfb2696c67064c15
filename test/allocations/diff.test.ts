import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeviceDifference, Share } from '../../src/analyses/allocations/diff/index.ts';
import { compare } from '../../src/analyses/compare/index.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import type { Recording } from '../../src/model/recording.ts';
import { openInput } from '../../src/open/open.ts';
import { comparisonMarkdown, comparisonText } from '../../src/views/compare/comparison.ts';
import { gpuRun } from '../compare/runs.ts';
import { SHARED, whereShared } from '../support/shared.ts';
import { type Small, type SmallOptions, smallSnapshot } from './small-snapshot.ts';

const KiB = 1024;
const A = '/home/ann/work';
const B = '/mnt/ben/checkout';
const LIB = '/opt/venv/lib/python3.12/site-packages/torch/nn/functional.py';
const OTHER_LIB = '/usr/lib/python3/dist-packages/torch/nn/functional.py';

const compared = (a: Recording, b: Recording, baseline?: string) =>
  compare(
    [
      { name: 'a', recording: a },
      { name: 'b', recording: b },
    ],
    { baseline },
  );

async function difference(
  a: readonly Small[],
  b: readonly Small[],
  options: [SmallOptions?, SmallOptions?] = [],
): Promise<DeviceDifference> {
  const [one, other] = [await smallSnapshot(a, options[0]), await smallSnapshot(b, options[1])];
  return compared(one, other).allocations!.differences[0]!;
}

const siteLines = ({ sites }: DeviceDifference) =>
  sites.shown.map(({ status, match, bytes }) => [status, match, bytes.a, bytes.b]);

describe('the same program twice', () => {
  const program: Small[] = [
    {
      size: 4 * KiB,
      calls: [`linear ${LIB}:10`, `forward ${A}/model.py:5`, `<module> ${A}/t.py:9`],
    },
    { size: 8 * KiB, calls: [`relu ${LIB}:20`, `forward ${A}/model.py:6`, `<module> ${A}/t.py:9`] },
  ];

  it('differs in nothing, wherever its memory lies', async () => {
    const pair = await difference(program, program, [{}, { base: 2 ** 45 }]);
    expect(pair.peakRequestedBytes).toEqual({ a: 12 * KiB, b: 12 * KiB, difference: 0 });
    expect(pair.sites.shown).toEqual([]);
    expect(pair.sites.matched).toMatchObject([{ match: 'exact', sites: 2 }]);
  });

  it('is matched across machines: packages at once, own files by their names', async () => {
    const moved = program.map(({ size, calls }) => ({
      size: 2 * size,
      calls: calls!.map((call) => call.replace(LIB, OTHER_LIB).replace(A, B)),
    }));
    const pair = await difference(program, moved);
    expect(siteLines(pair)).toEqual([
      ['grown', 'other folder', 8 * KiB, 16 * KiB],
      ['grown', 'other folder', 4 * KiB, 8 * KiB],
    ]);
  });

  it('is matched when lines moved, exactly first, and that is said', async () => {
    const shifted: Small[] = [
      { ...program[0]!, size: 5 * KiB },
      {
        size: 9 * KiB,
        calls: [`relu ${LIB}:20`, `forward ${A}/model.py:7`, `<module> ${A}/t.py:9`],
      },
    ];
    const [one, other] = [await smallSnapshot(program), await smallSnapshot(shifted)];
    const { allocations } = compared(one, other);
    expect(siteLines(allocations!.differences[0]!)).toEqual([
      ['grown', 'other lines', 8 * KiB, 9 * KiB],
      ['grown', 'exact', 4 * KiB, 5 * KiB],
    ]);
    expect(allocations!.notes.join()).toContain(
      'line numbers differ: matched by function and file',
    );
  });

  it('is matched when another script starts it, and when stacks have native frames', async () => {
    const started: Small[] = program.map(({ size, calls }) => ({
      size,
      calls: [
        'at::empty ??:0',
        ...calls!.slice(0, 2),
        `main ${A}/run.py:3`,
        '_run <frozen runpy>:8',
      ],
    }));
    const pair = await difference(program, started);
    expect(pair.sites.shown).toEqual([]);
    expect(pair.sites.matched).toMatchObject([{ match: 'other caller', sites: 2 }]);
  });
});

describe('what only one of them holds', () => {
  const stack = (line: number) => [`f${line} ${A}/x.py:${line}`];

  it('is new or gone; what was freed before the peak does not count', async () => {
    const pair = await difference(
      [
        { size: 1 * KiB, calls: stack(1) },
        { size: 2 * KiB, calls: stack(2) },
      ],
      [
        { size: 1 * KiB, calls: stack(1) },
        { size: 64 * KiB, calls: stack(4), freed: true },
        { size: 66 * KiB, calls: stack(3) },
      ],
    );
    expect(siteLines(pair)).toEqual([
      ['new', null, 0, 66 * KiB],
      ['gone', null, 2 * KiB, 0],
    ]);
  });

  it('is told apart by its tag', async () => {
    const tagged = (tag: string, size: number): Small => ({ size, calls: stack(1), tag });
    const pair = await difference(
      [tagged('conv1', 512), tagged('conv2', 512)],
      [tagged('conv1', 512), tagged('conv3', 1024)],
    );
    expect(siteLines(pair)).toEqual([
      ['new', null, 0, 1024],
      ['gone', null, 512, 0],
    ]);
    expect(pair.tags.shown.map(({ tag, bytes }) => [tag, bytes.difference])).toEqual([
      ['conv3', 1024],
      ['conv2', -512],
      ['conv1', 0],
    ]);
  });

  it('beyond the rows shown is summed up, and all of it is the difference of the peaks', async () => {
    const many = (from: number, count: number): Small[] =>
      Array.from({ length: count }, (_, i) => ({ size: 1000 + i, calls: stack(from + i) }));
    const pair = await difference(many(0, 40), many(30, 50));
    const { shown, rest } = pair.sites;
    expect(shown).toHaveLength(20);
    expect(rest.sites).toBe(30 + 40 + 10 - 20);
    const all = [...shown, rest].reduce((sum, { bytes }) => sum + bytes.difference, 0);
    expect(all).toBe(pair.peakRequestedBytes.difference);
    expect(rest.grownBytes - rest.shrunkBytes).toBe(rest.bytes.difference);
  });
});

describe('beside the stacks', () => {
  const one: Small[] = [{ size: 512, calls: [`f ${A}/x.py:1`] }];

  it('settings that differ are named, and others not', async () => {
    const settings = { expandable_segments: false, max_split_size: -1 };
    const a = await smallSnapshot(one, { settings });
    const b = await smallSnapshot(one, { settings: { ...settings, expandable_segments: true } });
    const { allocations } = compared(a, b);
    expect(allocations!.settings).toEqual([
      { setting: 'expandable_segments', values: { a: false, b: true } },
    ]);
  });

  it('segments sum up to what is reserved', async () => {
    const big: Small[] = [...one, { size: 3 * KiB * KiB, calls: [`g ${A}/x.py:2`] }];
    const pair = await difference(one, big);
    expect(pair.segments).toEqual([
      {
        ...{ kind: 'large', pool: 'default', expandable: false },
        bytes: pair.peakReservedBytes,
        segments: { a: 1, b: 1, difference: 0 },
      },
    ]);
  });

  it('other ordinals are compared where each used one GPU, and that is said', async () => {
    const [a, b] = [await smallSnapshot(one), await smallSnapshot(one, { device: 3 })];
    const { allocations } = compared(a, b);
    expect(allocations!.differences).toMatchObject([{ device: 0, otherDevice: 3 }]);
    expect(allocations!.notes).toContain('GPU 0 of a is held against GPU 3 of b');
  });

  it('a trace and samples cannot be held against each other', async () => {
    const [trace, sampled] = [await smallSnapshot(one), gpuRun('b', { 0: [1, 2, 1] })];
    expect(() => compared(trace, sampled.recording)).toThrow(
      'a is an allocation trace and b was sampled: they cannot be compared that way',
    );
    const three = compare([{ name: 'a', recording: trace }, sampled, gpuRun('c', { 0: [1, 3] })]);
    expect(three.runs.map((run) => run.name)).toEqual(['b', 'c']);
    expect(three.notes).toContain(
      'not held against each other: allocation traces (a) and sampled runs (b, c)',
    );
  });

  it('--against chooses which run the others are held against', async () => {
    const [a, b] = [await smallSnapshot(one), await smallSnapshot(one)];
    expect(compared(a, b, 'b').allocations!.differences).toMatchObject([{ a: 'b', b: 'a' }]);
    expect(() => compared(a, b, 'c')).toThrow(/there is no run 'c'/);
  });

  it('text and Markdown name the site, and nothing in it becomes markup', async () => {
    const evil: Small[] = [...one, { size: 2048, calls: [`f|<b>\u001b[31m ${A}/x.py:2`] }];
    const comparison = compared(await smallSnapshot(one), await smallSnapshot(evil));
    const text = comparisonText(comparison);
    expect(text).toMatch(/^b takes 2\.00 KiB more than a at the peak on GPU 0/);
    expect(text).toMatch(/\+2\.00 KiB +0 B +2\.00 KiB +0 → 1 +new/);
    expect(text).not.toContain('\u001b');
    expect(comparisonMarkdown(comparison)).not.toContain('<b>');
  });
});

const FIXTURES = 'test/fixtures/snapshots';
const SNAPSHOTS = readdirSync(FIXTURES).filter((name) => /\.pickle\.gz$/.test(name));

/** All parts of one pair add up, whatever the pair. */
function checkSums(pair: DeviceDifference, peaks: readonly [number, number]): void {
  const sum = (shares: readonly Share[]) =>
    shares.reduce((all, { bytes }) => [all[0]! + bytes.a, all[1]! + bytes.b], [0, 0]);
  expect(sum([...pair.sites.shown, pair.sites.rest])).toEqual(peaks);
  expect(sum(pair.sites.matched)).toEqual(peaks);
  expect(sum(pair.categories)).toEqual(peaks);
  expect(pair.residueBytes).toBe(0);
  const reserved = pair.segments.reduce((all, { bytes }) => all + bytes.difference, 0);
  if (pair.segments.length > 0) expect(reserved).toBe(pair.peakReservedBytes.difference);
}

async function checkPair(a: string, b: string): Promise<void> {
  const [one, other] = [await openInput(a), await openInput(b)];
  const { allocations } = compared(one, other);
  for (const pair of allocations!.differences) {
    const peak = (recording: Recording, device: DeviceDifference['device']) =>
      summary(traces(recording).find((trace) => device === 'host' || trace.device === device)!)
        .peakRequested;
    checkSums(pair, [peak(one, pair.device), peak(other, pair.otherDevice ?? pair.device)]);
  }
}

describe('real snapshots', () => {
  it.each(SNAPSHOTS)('%s against another adds up to the byte', async (name) => {
    const next = SNAPSHOTS[(SNAPSHOTS.indexOf(name) + 1) % SNAPSHOTS.length]!;
    await checkPair(join(FIXTURES, name), join(FIXTURES, next));
  });

  whereShared('torch-snapshots/public-wed_512_training.pickle.gz')(
    'a longer context grows activations, and every site adds up',
    async () => {
      const file = (name: string) =>
        join(SHARED, 'torch-snapshots', `public-wed_${name}.pickle.gz`);
      await checkPair(file('128_training'), file('512_training'));
      const [a, b] = [await openInput(file('128_training')), await openInput(file('512_training'))];
      const pair = compared(a, b).allocations!.differences[0]!;
      expect(pair.peakRequestedBytes.difference).toBe(12_426_629_128 - 7_013_335_044);
      const activation = pair.categories.find(({ category }) => category === 'activation')!;
      expect(activation.bytes.difference).toBeGreaterThan(6 * 1024 ** 3);
      const softmax = pair.sites.shown.find(({ where }) => where.includes('softmax'))!;
      expect(softmax).toMatchObject({ status: 'new', category: 'activation' });
      expect(softmax.bytes.b).toBe(24 * 64 * 1024 ** 2);
    },
    60_000,
  );
});

it('of settings that differ: what the first would have reserved with those of the other', async () => {
  const path = join('test/fixtures/snapshots/training', 'conv_momentum.pickle.gz');
  const [a, b] = [await openInput(path), await openInput(path)];
  b.run.allocator!.settings.expandable_segments = true;
  expect(compared(a, b).allocations!.notes.join('\n')).toMatch(
    /settings of b \(expandable_segments:True\) a would have reserved 866 MiB on GPU 0 instead of 1\.32 GiB/,
  );
});
