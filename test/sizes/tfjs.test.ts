import '@tensorflow/tfjs-backend-cpu';
import { clone, reshape, setBackend, tensor1d, train, zeros } from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  allsizes,
  allsizesMb,
  MemoryProfiler,
  nBytes,
  nConns,
  printSizes,
  simsize,
} from '../../src/index.ts';

const model = sequential();
let profiler: MemoryProfiler;

beforeAll(async () => {
  await setBackend('cpu');
  model.add(layers.dense({ units: 2000, inputShape: [5000], useBias: false }));
  model.add(layers.dense({ units: 10 }));
  model.compile({ optimizer: train.sgd(0.1), loss: 'meanSquaredError' });
  profiler = new MemoryProfiler(model, { print: () => {} });
});
afterAll(() => profiler.close());

const WEIGHTS = 5000 * 2000 + 2000 * 10 + 10;

describe('sizes of a TensorFlow.js model', () => {
  it('are of the model that a profiler has, where nothing is named', () => {
    expect(nConns()).toBe(WEIGHTS);
    // Its optimizer belongs to it, and keeps a number.
    expect(nBytes() - 4 * WEIGHTS).toBeLessThan(100);
    expect(nBytes()).toBeGreaterThanOrEqual(4 * WEIGHTS);
    expect(simsize()).toBeGreaterThan(1000);
    expect(allsizes().root).toBe('Sequential');
  });

  it('count a tensor once, however many look at it, and none that is disposed of', () => {
    const made = zeros([100, 10]);
    const held = [made, reshape(made, [10, 100]), clone(made)];
    expect(nBytes(held)).toBe(4000);
    for (const one of held) one.dispose();
    expect(nBytes(held)).toBe(0);
    expect(nConns([tensor1d([1, 2, 3])])).toBe(3);
  });

  it('explain the process, or name the rest', () => {
    const { topsize, explained, rest } = allsizes();
    const named = rest.reduce((sum, [, bytes]) => sum + bytes, explained);
    expect(Math.abs(named / topsize - 1)).toBeLessThan(0.1);
    expect(allsizesMb()).toMatch(/^topsize:\d+(\.\d)?[mg] =\? code \+ simsize:0MB \+ wtsize:38MB /);
  });

  it('are told in the sentence of the original', () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    printSizes();
    expect(write).toHaveBeenCalledWith(
      `Defined ${WEIGHTS}-connection network; 38MB required for weight storage.\n`,
    );
    write.mockRestore();
  });
});
