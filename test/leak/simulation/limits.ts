import { MiB } from '../../../src/base/bytes.ts';
import { alignColumns } from '../../../src/base/text.ts';
import { Random } from '../../support/random.ts';
import { ar, LENGTHS, longRunFactor } from './kinds.ts';
import { judgeSeries } from './score.ts';

const MEMORIES = [0.5, 0.9, 0.98];
const LEVEL = 1000 * MiB;
/** Enough for five of them to be above the floor, whatever the length. */
const SIGMA = 0.01 * LEVEL;

/** The hardest leaks that are claimed to be found: just as large as they have to be. */
export function limitsTable(firstSeed: number, seeds: number): string[] {
  const rows = MEMORIES.flatMap((phi) =>
    [['single', 1] as const, ['long run', longRunFactor(phi)] as const].map(([name, factor]) => [
      `φ = ${phi}, ${name}`,
      ...LENGTHS.map((n) => `${Math.round(100 * found(n, phi, 5 * factor, firstSeed, seeds))} %`),
    ]),
  );
  const head = ['values', ...LENGTHS.map(String)];
  return alignColumns([head, ...rows], new Set(LENGTHS.map((_, i) => i + 1)));
}

function found(n: number, phi: number, deviations: number, firstSeed: number, seeds: number) {
  let leaks = 0;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const random = new Random(seed * 31 + n);
    const noise = ar({ random, n, sigma: SIGMA }, phi);
    const values = noise.map((value, i) => LEVEL + value + (deviations * SIGMA * i) / (n - 1));
    if (judgeSeries(values) === 'leak') leaks++;
  }
  return leaks / seeds;
}
