import { expect, it } from 'vitest';
import { processSamples } from '../../src/sources/agent/process-samples.ts';

/** [time, pid, rss, hwm] of each sample. */
const samples = (...processes: [pid: number, ...sizes: [at: number, rss: number][]][]) =>
  [
    ...processSamples(
      processes.map(([pid, ...sizes]) => ({
        pid,
        sizes: sizes.map(([at, rss]) => ({ at, rss, hwm: rss + 1 })),
      })),
    ),
  ].map((row) => [row[0], row[1], row[2], row[7]]);

it('has all processes in each sample, a silent one with its last size', () => {
  expect(samples([1, [0, 10], [100, 20], [200, 30], [300, 40]], [2, [0, 5], [300, 6]])).toEqual([
    [75, 1, 10, 11],
    [75, 2, 5, 6],
    [150, 1, 20, 21],
    [150, 2, 5, 6],
    [225, 1, 30, 31],
    [225, 2, 5, 6],
    [300, 1, 40, 41],
    [300, 2, 6, 7],
  ]);
});

it('keeps the largest size of each stretch', () => {
  const bursts = samples([1, [0, 1], [1, 9], [2, 3], [100, 4]], [2, [0, 7]]);
  expect(bursts.filter(([, pid]) => pid === 1).map(([, , rss]) => rss)).toEqual([9, 3, 3, 4]);
});

it('leaves a process out before it was heard of and after its last word', () => {
  expect(samples([1, [0, 10], [50, 11]], [2, [60, 5], [100, 6]])).toEqual([
    [50, 1, 11, 12],
    [100, 2, 6, 7],
  ]);
});

it('has none where no process told its size', () => {
  expect(samples()).toEqual([]);
  expect(samples([1])).toEqual([]);
});

it('has at most 2,000 samples, and the peak is among them', () => {
  const many = Array.from({ length: 9999 }, (_, i): [number, number] => [i, i === 7777 ? 1e9 : i]);
  const rows = samples([1, ...many]);
  expect(rows.length).toBe(2000);
  expect(Math.max(...rows.map(([, , rss]) => rss!))).toBe(1e9);
});
