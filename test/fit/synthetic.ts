import type { Sample } from '../../src/analyses/fit/design-matrix.ts';
import { MiB } from '../../src/base/bytes.ts';
import { Random } from '../support/random.ts';

/** A made-up program, what was measured of it, and the peak of a size that was not. */
export interface Made {
  readonly samples: readonly Sample[];
  readonly larger: Sample;
}

/**
 * Up to three phases (one that does not grow, two that do), over one or two parameters, linear or with
 * a square, measured with noise up to 3 % and rounded up to the allocator's units.
 */
export function makeUp(seed: number): Made {
  const random = new Random(seed * 7919);
  const two = random.uniform() < 0.4;
  const noise = random.pick([0, 0.002, 0.01, 0.03]);
  const unit = random.pick([512, 2 * MiB, 20 * MiB]);
  const first = random.pick([1, 2, 4, 8]);
  const doubling = random.uniform() < 0.6;
  const batches = Array.from({ length: random.pick([4, 5, 6, 8]) }, (_, i) =>
    doubling ? first * 2 ** i : first * (i + 1),
  );
  const sizes = two
    ? random.pick([
        [128, 256, 512],
        [64, 128, 256, 512],
        [224, 320, 448],
      ])
    : [1];
  const [most, longest] = [batches.at(-1)!, sizes.at(-1)!];
  const constant = random.logBetween(100 * MiB, 4000 * MiB);
  const full = random.logBetween(0.5, 20) * constant;
  const squared = random.pick([0, 0, 0, 0.5, 1]);
  const growth = ([batch, size]: readonly number[]) => {
    const [u, v] = [batch! / most, size! / longest];
    return (1 - squared) * u * v + squared * (two ? u * v * v : 0.6 * u + 0.4 * u * u);
  };
  const phases = random.pick([1, 2, 2, 3]);
  const step = phases > 1 ? constant * random.between(1.1, 2.5) : 0;
  const early = phases > 2 ? full * random.between(0.3, 0.8) : 0;
  const measure = (at: readonly number[]): Sample => {
    const grown = growth(at);
    const peak = Math.max(
      constant + full * grown,
      step,
      phases > 2 ? 1.3 * constant + early * grown : 0,
    );
    return { at, bytes: Math.ceil((peak * (1 + noise * random.normal())) / unit) * unit };
  };
  const samples = batches.flatMap((batch) => sizes.map((size) => measure([batch, size])));
  return { samples, larger: measure([most * random.pick([1.5, 2]), longest]) };
}
