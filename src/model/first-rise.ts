import type { Series } from './series.ts';

/** A rise is at least so much of all that a run rises by; it is then followed back to where it began. */
const CLEAR = 0.05;
/** One sample may be a slip of the tool that wrote it. */
const STAYS = 3;
/** Values further from the middle than so many times the usual distance are no noise. */
const NOISE = 4;
/** The usual (median) distance from the middle, as a standard deviation of normal noise. */
const NORMAL = 1.4826;

/**
 * The row at which a series first leaves the level it began at: what a log without marks knows of a workload's start. The level and
 * its noise are those of all samples before the first clear rise. null: it never rises.
 */
export function firstRise({ values }: Series): number | null {
  const begun = values.findIndex((value) => !Number.isNaN(value));
  if (begun < 0) return null;
  const first = values[begun]!;
  let highest = first;
  for (const value of values) if (value > highest) highest = value;
  if (highest === first) return null;
  const clear = first + CLEAR * (highest - first);
  const clearRow = firstStaying(values, begun, clear);
  if (clearRow < 0) return null;
  const before = [...values.subarray(begun, clearRow)].filter((value) => !Number.isNaN(value));
  const level = median(before);
  const noise = NOISE * NORMAL * median(before.map((value) => Math.abs(value - level)));
  let row = clearRow;
  while (row > begun + 1 && values[row - 1]! > level + noise) row--;
  return row;
}

/** The first row above a value that the next ones are above too. */
function firstStaying(values: Float64Array, from: number, above: number): number {
  let run = 0;
  for (let row = from; row < values.length; row++) {
    run = values[row]! > above ? run + 1 : 0;
    if (run === STAYS || (run > 0 && row === values.length - 1)) return row - run + 1;
  }
  return -1;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
