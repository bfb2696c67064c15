import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devices } from '../../src/analyses/allocations/index.ts';
import { openInput } from '../../src/open/open.ts';
import { SHARED, whereShared } from '../support/shared.ts';
import { firstDevice, groundTruths, score, TRAINING, without } from './ground-truth.ts';

/** What the project promises: so much of the peak lands in the right category. */
const PROMISE = 0.9;
const known = groundTruths(TRAINING);
/** An evaluation pass after a step cannot be told from the step's own without stacks. */
const bare = known.filter(([file]) => !file.includes('eval'));

describe('categories at the peak of real training runs', () => {
  it.each(known)('%s', async (file, truth) => {
    const device = await firstDevice(join(TRAINING, file));
    expect(score(device, truth), JSON.stringify(device.categories)).toBeGreaterThan(PROMISE);
  });

  it.each(bare)('%s without any call stack', async (file, truth) => {
    const recording = without(await openInput(join(TRAINING, file)), 'stack');
    const device = devices(recording)[0]!;
    expect(score(device, truth), JSON.stringify(device.categories)).toBeGreaterThan(0.8);
  });

  it('add up to the peak, with a reason and a confidence each', async () => {
    for (const [file] of known) {
      const { categories, peakRequestedBytes, topStacks, otherStacks } = await firstDevice(
        join(TRAINING, file),
      );
      const sum = (shares: readonly { bytes: number }[]) =>
        shares.reduce((bytes, share) => bytes + share.bytes, 0);
      expect(sum(categories)).toBe(peakRequestedBytes);
      expect(sum(topStacks) + otherStacks.bytes).toBe(peakRequestedBytes);
      for (const share of categories) {
        expect(sum(share.evidence)).toBe(share.bytes);
        expect(share.reason).not.toBe('');
        expect(share.confidence).toBeLessThanOrEqual(1);
        expect(share.confidence > 0).toBe(share.category !== 'unknown');
      }
    }
  });

  it('are less sure without call stacks', async () => {
    const recording = await openInput(join(TRAINING, 'conv_momentum.pickle.gz'));
    const [full, bare] = [devices(recording)[0]!, devices(without(recording, 'stack'))[0]!];
    const activation = (device: typeof full) =>
      device.categories.find(({ category }) => category === 'activation')!;
    expect(activation(bare).confidence).toBeLessThan(activation(full).confidence);
    expect(bare.steps.foundBy).toBe('annotations and lifetimes');
  });

  it('name intermediate gradients apart', async () => {
    const { categories } = await firstDevice(join(TRAINING, 'conv_momentum.pickle.gz'));
    const temporary = categories.find(({ category }) => category === 'temporary')!;
    expect(temporary.parts[0]?.part).toBe('intermediate gradients');
  });
});

const FOLDER = join(SHARED, 'torch-snapshots');
const where = whereShared('torch-snapshots/categories.ndjson');

describe('categories of snapshots with known answers', () => {
  where('are right with tags and without', async () => {
    for (const [file, truth] of groundTruths(FOLDER)) {
      const recording = await openInput(join(FOLDER, file));
      expect(score(devices(recording)[0]!, truth), file).toBeGreaterThan(0.95);
      expect(score(devices(without(recording, 'tag'))[0]!, truth), file).toBeGreaterThan(0.95);
    }
  });

  where('come to the size of GPT-2 with AdamW', async () => {
    const { categories } = await firstDevice(join(FOLDER, 'h200-gpt2_adamw3.pickle.gz'));
    const bytes = (name: string) => categories.find(({ category }) => category === name)?.bytes;
    const weights = 124_439_808 * 4;
    expect(bytes('parameter')).toBe(weights);
    expect(bytes('optimizer_state')).toBe(2 * weights);
    expect(bytes('workspace')).toBe(68_157_440);
    expect(bytes('unknown')).toBeUndefined();
  });

  where('know state that each step makes anew', async () => {
    const { categories } = await firstDevice(join(FOLDER, 'public-wed_512_training.pickle.gz'));
    const bytes = (name: string) => categories.find(({ category }) => category === name)!.bytes;
    expect(bytes('optimizer_state') / bytes('parameter')).toBeCloseTo(2, 2);
  });
});
