import { expect, it } from 'vitest';
import { releaseMemory } from '../../src/base/release-memory.ts';

const MiB = 2 ** 20;

it('gives large buffers back at once', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const [tags, values] = [new Uint8Array(64 * MiB).fill(1), new Uint32Array(16 * MiB).fill(1)];
  await releaseMemory([tags.buffer, values.buffer]);
  expect([tags.length, values.length]).toEqual([0, 0]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MiB);
});

it('leaves small ones to the collector', async () => {
  const few = new Uint8Array(MiB);
  await releaseMemory([few.buffer]);
  expect(few.length).toBe(MiB);
});
