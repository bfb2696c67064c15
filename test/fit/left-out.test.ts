import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  coverageOf,
  fewShown,
  largerLeftOut,
  sweepsOf,
  type Told,
  tell,
  widthOf,
} from '../../bench/left-out.ts';

/** Of ten kinds of models on which no rule was chosen; `npm run bench -- fit-coverage` has all twenty, and each row left out. */
const SCORING = sweepsOf(join(import.meta.dirname, '../fixtures/fit/h200-sweeps.csv')).filter(
  (_, i) => i % 2 === 1,
);

it('holds 90 of 100 peaks that were left out, in intervals that are of use', () => {
  const told: Told[] = [];
  let asked = 0;
  for (const sweep of SCORING) {
    for (const protocol of [largerLeftOut, fewShown]) {
      const one = tell(sweep, protocol);
      told.push(...one.told);
      asked += one.asked;
    }
  }
  const figures = 4;
  expect(told.length / figures / asked).toBeGreaterThan(0.85);
  expect(coverageOf(told)).toBeGreaterThanOrEqual(0.9);
  for (const figure of ['reserved_peak', 'device_used']) {
    expect(coverageOf(told.filter((one) => one.figure === figure)), figure).toBeGreaterThanOrEqual(
      0.9,
    );
  }
  // Half as wide again would be a third of the peak: 29 % were measured, 31 % before figures were held against one another.
  expect(widthOf(told)).toBeLessThan(0.33);
}, 300_000);
