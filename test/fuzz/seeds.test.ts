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
  for (const version of [1, 2] as const) {
    const seed = pythonSeed(version);
    const { nodes, edges, strings, about } = await readHeap(pythonHeap, seed);
    expect([nodes.count, edges.count, about.warnings]).toEqual([7, 9, []]);
    const rows = Array.from(nodes.size, (size, node) => [
      strings.text(nodes.kind[node]!),
      strings.text(nodes.name[node]!),
      size,
    ]);
    expect(rows).toEqual([
      ['', '', 0],
      ['str', 'weight', 50],
      ['int', '-4398046511104', 28],
      ['list', '', 72],
      ['dict of Node', '', 232],
      ['Node', 'main', 48],
      ['ndarray data', '', 4096],
    ]);
    expect(withChecksums(seed)).toEqual(seed);
  }
});
