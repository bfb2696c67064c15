import { describe, expect, it } from 'vitest';
import { type BoundedValues, singleValues } from '../../src/analyses/leak/bounded-values.ts';
import { mostGrowth } from '../../src/analyses/leak/trend-evidence.ts';
import { MiB } from '../../src/base/bytes.ts';
import { Random } from '../support/random.ts';

const VALUES = 320;
const SAMPLES = 12;

/** MiB, a dozen samples for each value: the smallest, the largest and the mean of them are kept. */
function sampled(size: (sample: number) => number): BoundedValues {
  const rows = Array.from({ length: VALUES }, (_, i) =>
    Array.from({ length: SAMPLES }, (_, j) => size(i * SAMPLES + j) * MiB),
  );
  return {
    x: Float64Array.from(rows.keys()),
    y: Float64Array.from(rows, (row) => Math.min(...row)),
    peaks: Float64Array.from(rows, (row) => Math.max(...row)),
    means: Float64Array.from(rows, (row) => row.reduce((sum, value) => sum + value) / SAMPLES),
  };
}

/** So much at a sample, by chance: of each one `keeps` stays with the next. */
function noise(keeps: number, seed: number): (sample: number) => number {
  const random = new Random(seed);
  const drawn = new Float64Array(VALUES * SAMPLES);
  let last = random.normal();
  for (let i = 0; i < drawn.length; i++) {
    last = keeps * last + Math.sqrt(1 - keeps * keeps) * random.normal();
    drawn[i] = last;
  }
  return (sample) => drawn[sample]!;
}

const growing = (mib: number) => (sample: number) => (mib * sample) / (VALUES * SAMPLES - 1);

describe('what can have grown at most', () => {
  it('is closer by the means of all samples than by the smallest of each stretch', () => {
    const seeds = [1, 2, 3, 4, 5, 6];
    const closer = seeds.filter((seed) => {
      const by = noise(0.2, seed);
      const values = sampled((sample) => 60 + by(sample));
      return mostGrowth(values) < 0.7 * mostGrowth(singleValues(values.x, values.y));
    });
    expect(closer.length).toBeGreaterThanOrEqual(5);
  });

  it('is never less than what did grow, however far the noise wanders', () => {
    for (const keeps of [0, 0.9, 0.99, 0.998, 0.9995]) {
      for (let seed = 100; seed < 130; seed++) {
        const [by, of] = [noise(keeps, seed), growing(1.5)];
        const values = sampled((sample) => 60 + by(sample) + of(sample));
        expect(mostGrowth(values) / MiB, `${keeps}, seed ${seed}`).toBeGreaterThan(1.4);
      }
    }
  });

  it('is no closer where means stand still and the smallest values grow: a collector comes ever more often', () => {
    const by = noise(0.2, 7);
    const values = sampled((sample) => 60 + by(sample));
    const rising = values.y.map((value, i) => value + (3 * MiB * i) / VALUES);
    expect(mostGrowth({ ...values, y: rising }) / MiB).toBeGreaterThan(2.8);
  });

  describe('of a program that comes back to the same size', () => {
    /** A third of the time it has 60 MiB to the page, else more, by chance. */
    const comesBack = (seed: number) => {
      const random = new Random(seed);
      const drawn = Array.from({ length: VALUES }, () =>
        random.uniform() < 0.35 ? 0 : 0.2 + Math.abs(random.normal()),
      );
      return (sample: number) => 60 + drawn[Math.floor(sample / SAMPLES)]!;
    };
    const seeds = Array.from({ length: 30 }, (_, i) => 300 + i);

    it('is next to nothing, though the noise is large', () => {
      for (const seed of seeds) {
        expect(mostGrowth(sampled(comesBack(seed))) / MiB, `seed ${seed}`).toBeLessThan(0.01);
      }
    });

    it('is not less than what that size grew by, however little', () => {
      for (const mib of [0.1, 0.2, 0.5, 1.5]) {
        for (const seed of seeds) {
          const [size, more] = [comesBack(seed), growing(mib)];
          const most = mostGrowth(sampled((sample) => size(sample) + more(sample)));
          expect(most / MiB, `${mib} MiB, seed ${seed}`).toBeGreaterThan(0.9 * mib);
        }
      }
    });

    it('is not less where it grew in the last fifth only', () => {
      const from = 0.8 * VALUES * SAMPLES;
      const late = (sample: number) =>
        1.5 * Math.max(0, (sample - from) / (VALUES * SAMPLES - from));
      for (const seed of seeds) {
        const size = comesBack(seed);
        const most = mostGrowth(sampled((sample) => size(sample) + late(sample)));
        expect(most / MiB, `seed ${seed}`).toBeGreaterThan(0.15);
      }
    });

    it('is wide of values that only pass by the same size, as the teeth of a slow collector do', () => {
      const teeth = (sample: number) => 60 + ((sample / SAMPLES) % 40) / 10;
      const rising = sampled((sample) => teeth(sample) + growing(0.5)(sample));
      expect(mostGrowth(rising) / MiB).toBeGreaterThan(0.45);
    });
  });
});
