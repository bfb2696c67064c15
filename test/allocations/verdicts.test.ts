import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allocatorAdvice, type Waste } from '../../src/analyses/allocations/advice.ts';
import { MiB } from '../../src/base/bytes.ts';
import { firstDevice, TRAINING } from './ground-truth.ts';

const device = (name: string) => firstDevice(join(TRAINING, `${name}.pickle.gz`));

describe('steps', () => {
  it.each([
    ['mlp_sgd', 3, 'optimizer'],
    ['mlp_momentum_zero', 4, 'optimizer'],
    ['conv_momentum', 3, 'optimizer'],
    ['gpt_adam_allstacks', 2, 'optimizer'],
    ['gpt_first_step_only', 1, 'optimizer'],
    ['oom_leak', 12, 'optimizer'],
  ])('of %s are %i', async (name, count, by) => {
    const { steps } = await device(name);
    expect([steps.count, steps.endedBy]).toEqual([count, by]);
  });

  it('know the phase of the peak', async () => {
    expect((await device('mlp_adagrad')).peakMoment.phase).toBe('optimizer');
    expect((await device('gpt_lora')).peakMoment.phase).toBe('backward');
    expect((await device('gpt_eval_after_train')).peakMoment.phase).toBe('forward');
  });
});

describe('out of memory', () => {
  it('tells the request, what held memory, and fixes with their bytes', async () => {
    const { oom } = await device('oom_batch');
    expect(oom).toMatchObject({
      moment: { phase: 'forward', step: 3 },
      requestedBytes: 819_200_000,
      limited: true,
      times: 1,
    });
    expect(oom!.growthBytes).toBeGreaterThan(1000 * MiB);
    expect(oom!.categories[0]!.category).toBe('activation');
    expect(oom!.fixes[0]!.what).toContain('batch');
    expect(oom!.fixes.every(({ bytes }) => bytes > 0)).toBe(true);
    expect(oom!.reservedBytes - oom!.liveBytes).toBe(oom!.unusableBytes);
  });

  it('blames tensors kept from earlier steps where they grow', async () => {
    const { oom, leak } = await device('oom_leak');
    expect(leak.verdict).toBe('leak');
    expect(leak.requestedPerStep! / MiB).toBeCloseTo(41.3, 0);
    expect(oom!.fixes[0]!.what).toContain('keep no tensors of earlier steps');
    expect(oom!.fixes[0]!.enough).toBe(true);
  });

  it('is told by what the program held where no history was kept', async () => {
    const { oom, events } = await firstDevice(
      'test/fixtures/formats/torch-snapshot/h200-oom-rested.pickle',
    );
    expect(events).toBe(1); // the error alone
    expect(oom).toMatchObject({
      requestedBytes: 65_536_000_000,
      moment: { phase: 'forward' },
      where: 'train/oom_sudden.py:13 evaluate (forward)',
    });
    const held = oom!.categories.map(({ category, bytes }) => [category, Math.round(bytes / MiB)]);
    expect(held).toEqual([
      ['input', 62_532],
      ['activation', 62_500],
      ['optimizer_state', 1024],
      ['parameter', 512],
      ['workspace', 65],
    ]);
    const sure = Object.fromEntries(
      oom!.categories.map(({ category, confidence }) => [category, confidence]),
    );
    expect(sure).toMatchObject({ activation: 0.98, optimizer_state: 0.98, parameter: 0.98 });
    // Without a stack it is what they are that tells them apart.
    expect(oom!.topStacks.shown[0]).toMatchObject({ category: 'input', stack: null });
    expect(oom!.fixes[0]).toMatchObject({
      what: expect.stringContaining('halve the batch'),
      enough: true,
    });
  });

  it('is not claimed of a trace without it', async () => {
    expect((await device('mlp_sgd')).oom).toBeNull();
  });
});

describe('leaks across steps', () => {
  it('are found with the line that makes them', async () => {
    const { leak } = await device('gpt_leak');
    expect(leak.verdict).toBe('leak');
    expect(leak.stacks[0]!.frames[0]!.file).toContain('make_truth.py');
  });

  // Made on an H200 by one training each of 45 steps, which keep so many bytes of their own.
  it.each([
    ['odd: 32,004 bytes in each step', 'odd', 32_004],
    ['large: 16 MiB in each step beside 40 GiB', 'large', 16 * MiB],
    ['fifth: 1 MiB in every fifth step', 'fifth', MiB / 5],
    ['uneven_leak: 32,004 bytes in each step, batches of many sizes', 'uneven_leak', 32_004],
  ])('are found however small beside the rest (%s)', async (_, name, bytes) => {
    const { leak } = await device(`steps/${name}`);
    expect(leak.verdict).toBe('leak');
    expect(leak.requestedPerStep! / bytes).toBeCloseTo(1, 1);
    expect(leak.boundPerStep).toBeGreaterThanOrEqual(bytes);
    expect(leak.stacks[0]!.where).toBe('steps/make.py:15 keep');
  });

  it('are found by what one line leaves in every step, where batches of many sizes hide it', async () => {
    const { leak } = await device('steps/tiny_uneven');
    expect(leak).toMatchObject({ verdict: 'leak', requestedPerStep: 400 });
    expect(leak.stacks[0]).toMatchObject({ where: 'steps/more.py:39 <module>', bytesPerStep: 400 });
  });

  it('are left open, with a bound, where cycles wait for the collector at the end', async () => {
    const { leak } = await device('steps/cycles');
    expect(leak.verdict).toBe('unknown');
    expect(leak.boundPerStep).toBeLessThan(MiB / 2);
  });

  it.each([
    ['plain: every step lets go of all', 'plain', 'none'],
    ['uneven: batches of many sizes', 'uneven', 'warm-up'],
    ['warmup: 1 MiB in each of the first twelve steps', 'warmup', 'warm-up'],
    ['late_once: 1 MiB in step 36', 'late_once', 'warm-up'],
    ['window: the latest ten are kept', 'window', 'warm-up'],
  ])('are not seen where none goes on (%s)', async (_, name, verdict) => {
    const { leak } = await device(`steps/${name}`);
    expect(leak).toMatchObject({ verdict, stacks: [] });
    expect(leak.boundPerStep).toBeLessThan(MiB / 8);
  });

  it('are not seen in warm-up, nor told of too few steps', async () => {
    expect((await device('settings')).leak.verdict).toBe('warm-up');
    expect((await device('mlp_sgd')).leak.verdict).toBe('unknown');
  });
});

describe('fragmentation', () => {
  it('adds up: live, pinned and unused bytes are what is reserved', async () => {
    for (const name of ['gpt_oom', 'conv_momentum', 'gpt_graphed', 'settings']) {
      const { fragmentation: found } = await device(name);
      const used = found!.reservedBytes - found!.pinnedBytes - found!.cachedBytes;
      // Blocks are rounded up, so they take a little more than was requested.
      expect(used).toBeGreaterThanOrEqual(found!.requestedBytes);
      expect(used).toBeLessThan(found!.requestedBytes * 1.05);
      for (const segment of found!.segments) {
        expect(segment.liveBytes + segment.pinnedBytes).toBe(segment.bytes);
        expect(segment.holder.bytes).toBeLessThanOrEqual(segment.liveBytes);
      }
    }
  });

  const waste: Waste = {
    reservedBytes: 1000 * MiB,
    pinnedBytes: 400 * MiB,
    cachedBytes: 0,
    segmentFrees: 100,
    holders: [{ block: 2 * MiB, size: 400 * MiB }],
  };
  const off = { expandable_segments: false, max_split_size: -1, garbage_collection_threshold: 0 };
  const settings = (extra: object) =>
    allocatorAdvice({ ...off, ...extra }, waste).map(({ setting }) => setting);

  it('leads to the setting that would help', () => {
    expect(settings({})).toEqual([
      'expandable_segments:True',
      'max_split_size_mb:20',
      'roundup_power2_divisions:8',
    ]);
  });

  it('never to one that is already on', () => {
    expect(settings({ expandable_segments: true })).toEqual([]);
    expect(settings({ max_split_size: 20 * MiB })).not.toContain('max_split_size_mb:20');
    expect(settings({ 'roundup_power2_divisions.1': 8 })).toHaveLength(2);
    const cached = { ...waste, pinnedBytes: 0, segmentFrees: 0, cachedBytes: 500 * MiB };
    expect(allocatorAdvice(off, cached)[0]!.setting).toBe('garbage_collection_threshold:0.8');
    expect(allocatorAdvice({ ...off, garbage_collection_threshold: 0.6 }, cached)).toEqual([]);
    expect(allocatorAdvice(null, waste)).toEqual([]);
  });
});
