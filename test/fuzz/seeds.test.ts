import { expect, it } from 'vitest';
import { pythonHeap } from '../../src/formats/python-heap/index.ts';
import { v8Heap } from '../../src/formats/v8-heap/index.ts';
import { random } from '../support/random.ts';
import { pythonSeed, v8Seed, withChecksums } from './heap-seeds.ts';
import { readHeap } from './heap-targets.ts';
import { targets } from './targets.ts';

it('every target has good files to begin with', async () => {
  for (const { id, seeds, attempt } of targets()) {
    expect(seeds.length, id).toBeGreaterThan(0);
    for (const files of seeds) {
      const { behind } = await attempt(files, random(1));
      expect(behind, id).not.toBe(false);
    }
  }
});

it('the heaps that are made up are read whole', async () => {
  const v8 = await readHeap(v8Heap, v8Seed());
  expect([v8.nodes.count, v8.edges.count]).toEqual([6, 9]);
  const python = await readHeap(pythonHeap, pythonSeed());
  expect([python.nodes.count, python.about.warnings]).toEqual([6, []]);
  expect(withChecksums(pythonSeed())).toEqual(pythonSeed());
});
