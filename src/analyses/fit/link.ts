import type { FitRun } from './question.ts';
import type { Estimate } from './student-mixture.ts';

/** A figure that goes with another one: the same above it in every run, or the same share. */
export interface Link extends Estimate {
  readonly kind: 'plus' | 'times';
  /** The other one. */
  readonly figure: string;
}

const FEWEST_RUNS = 3;
/** What is above may spread by so much of the largest figure, or by two steps of an allocator. */
const MOST_SPREAD = 0.01;
const STEPS = 2 * 20 * 1024 ** 2;
/** And a share by so much: what rounding to blocks makes of many tensors. */
const MOST_RATIO_SPREAD = 0.03;

/** null where the data do not say so: what is between the two changes from run to run, or was not seen often enough. */
export function linkBetween(runs: readonly FitRun[], inner: string, outer: string): Link | null {
  const both = runs.flatMap(({ figures: { [inner]: small, [outer]: large }, outOfMemory }) =>
    small === undefined || large === undefined || outOfMemory ? [] : [{ small, large }],
  );
  if (both.length < FEWEST_RUNS) return null;
  const above = spreadOf(both.map(({ small, large }) => large - small));
  const largest = Math.max(...both.map(({ large }) => large));
  if (above.highBytes - above.lowBytes <= Math.max(STEPS, MOST_SPREAD * largest)) {
    return { kind: 'plus', figure: inner, ...above };
  }
  if (both.some(({ small }) => small === 0)) return null;
  const times = spreadOf(both.map(({ small, large }) => large / small));
  if (times.highBytes / times.lowBytes > 1 + MOST_RATIO_SPREAD) return null;
  return { kind: 'times', figure: inner, ...times };
}

function spreadOf(values: readonly number[]): Estimate {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    bytes: sorted[Math.floor(sorted.length / 2)]!,
    lowBytes: sorted[0]!,
    highBytes: sorted.at(-1)!,
  };
}

export function followLink(link: Link, { bytes, lowBytes, highBytes }: Estimate): Estimate {
  const follow = (a: number, b: number) => (link.kind === 'plus' ? a + b : a * b);
  return {
    bytes: follow(bytes, link.bytes),
    lowBytes: follow(lowBytes, link.lowBytes),
    highBytes: follow(highBytes, link.highBytes),
  };
}
