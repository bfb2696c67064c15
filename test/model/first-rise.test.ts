import { describe, expect, it } from 'vitest';
import { firstRise } from '../../src/model/first-rise.ts';
import type { Series } from '../../src/model/series.ts';
import { series } from '../../src/model/series.ts';
import { openInput } from '../../src/open/open.ts';

const of = (...values: number[]) =>
  ({
    name: 'x',
    times: Float64Array.from(values.keys()),
    values: Float64Array.from(values),
  }) as Series;

describe('the first rise of a log', () => {
  // Read off the files: the last sample at what was in use before.
  it.each(['cudnn', 'direct', 'fft', 'im2col', 'winograd'])('of %s on an H200', async (name) => {
    const recording = await openInput(`test/fixtures/formats/nvidia-smi/h200/memory_${name}.txt`);
    const used = series(recording, 'gpu0.used')!;
    const row = firstRise(used)!;
    expect(new Set(used.values.subarray(0, row)).size).toBe(1);
    expect(used.values[row]).toBeGreaterThan(used.values[0]!);
  });

  it('is where it leaves its noise, not where a sample slips', () => {
    const noisy = Array.from({ length: 100 }, (_, i) => 1000 + ((i * 7) % 5));
    expect(firstRise(of(...noisy, 1020, 1500, 3000, 3000, 3000))).toBe(100);
    expect(firstRise(of(5, 5, 900, 5, 5, 5, 40, 500, 1000, 1000))).toBe(6);
    expect(firstRise(of(Number.NaN, 0, 0, 10, 20, 30))).toBe(3);
  });

  it('is where it began to grow, however slowly', () => {
    expect(firstRise(of(0, 0, 0, ...Array.from({ length: 50 }, (_, i) => i + 1)))).toBe(3);
  });

  it('is none without a rise', () => {
    for (const values of [[], [3], [3, 3, 3], [9, 8, 7], [Number.NaN]])
      expect(firstRise(of(...values))).toBeNull();
  });
});
