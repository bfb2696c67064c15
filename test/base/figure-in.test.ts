import { expect, it } from 'vitest';
import { formatBytes, formatDelta } from '../../src/base/bytes.ts';
import { figureIn } from '../../src/base/figure-in.ts';
import { formatDuration } from '../../src/base/time.ts';

it('reads what we wrote, well enough to sort by', () => {
  for (const bytes of [0, 1, 900, 5000, 3e6, 7.5e8, 2e10, 4e13]) {
    expect(figureIn(formatBytes(bytes))! / (bytes || 1)).toBeCloseTo(bytes ? 1 : 0, 1);
    expect(figureIn(formatDelta(-bytes))! / (bytes || 1)).toBeCloseTo(bytes ? -1 : 0, 1);
  }
  for (const seconds of [0.5, 32.9, 125, 5000, 90_000]) {
    expect(figureIn(formatDuration(seconds))! / seconds).toBeCloseTo(1, 1);
  }
  expect(figureIn('1,234')).toBe(1234);
  expect(figureIn('53 %')).toBe(53);
  expect(figureIn('+1.00 MiB/iteration')).toBe(1 << 20);
  expect(figureIn('–')).toBeNull();
  expect(figureIn('not known')).toBeNull();
});
