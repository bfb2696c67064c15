import { expect, it } from 'vitest';
import { testedModel } from '../../src/analyses/fit/backtest.ts';
import { whyNoExtrapolation } from '../../src/analyses/fit/extrapolation.ts';
import { predict } from '../../src/analyses/fit/peak-model.ts';
import { quantileSorted } from '../../src/base/stats.ts';
import { makeUp } from './synthetic.ts';

const MADE_UP = 120;

it('gives intervals that hold the truth in 90 of 100 cases at least, and are of use', () => {
  let [judged, covered] = [0, 0];
  const errors: number[] = [];
  const widths: number[] = [];
  for (let seed = 1; seed <= MADE_UP; seed++) {
    const { samples, larger } = makeUp(seed);
    const tested = testedModel(samples);
    if (!tested || whyNoExtrapolation(tested.model)) continue;
    const { bytes, lowBytes, highBytes } = predict(tested.model, larger.at);
    judged++;
    if (larger.bytes >= lowBytes && larger.bytes <= highBytes) covered++;
    errors.push(Math.abs(bytes / larger.bytes - 1));
    widths.push((highBytes - lowBytes) / 2 / bytes);
  }
  const middle = (values: number[]) =>
    quantileSorted(
      values.sort((a, b) => a - b),
      0.5,
    );
  expect(judged).toBeGreaterThan(MADE_UP * 0.6);
  expect(covered / judged).toBeGreaterThan(0.9);
  expect(middle(errors)).toBeLessThan(0.015);
  expect(middle(widths)).toBeLessThan(0.1);
}, 60_000);
