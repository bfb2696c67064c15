import { KiB, MiB } from '../../base/bytes.ts';
import { median } from '../../base/stats.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Series } from '../../model/series.ts';

/** The level of a flat part of a series, and how well it is known. */
export interface FlatLevel {
  readonly bytes: number;
  /** Standard error. */
  readonly error: number;
  readonly fromNs: number;
  readonly toNs: number;
  /** Flat enough to compare with another time; else a level to show, but none to judge by. */
  readonly steady: boolean;
}

/** Why there is no level. */
export type NoFlatLevel = 'missing' | 'too short' | 'not flat';

/** Single samples jump; so medians over this time are used. */
const BLOCK_NS = 0.05 * SECOND_NS;
const FEWEST_BLOCKS = 6;
/** The kernel counts pages per CPU and adds them up once in a while. */
const STEADY_BYTES = 512 * KiB;
/**
 * Memory that moves by more than this within a second has moved by anything over a run. Up to the
 * loose figure there is a level to show, but none to judge by.
 */
const STRICT = 2 * MiB;
const LOOSE = 64 * MiB;

/** From a median absolute deviation to the standard deviation of a normal distribution. */
const MAD_TO_SIGMA = 1.4826;

interface MedianBlocks {
  readonly at: Float64Array;
  readonly level: Float64Array;
}

/**
 * The level of the longest flat part that reaches to the end of the time range: right after an exit
 * the kernel is still freeing, and right after its own start the recorder has not settled.
 */
export function flatLevel(series: Series, fromNs: number, toNs: number): FlatLevel | NoFlatLevel {
  const { at, level } = blockMedians(series, fromNs, toNs);
  if (at.length === 0) return 'missing';
  if (at.length < FEWEST_BLOCKS) return 'too short';
  for (const most of [STRICT, LOOSE]) {
    for (let from = 0; from + FEWEST_BLOCKS <= at.length; from++) {
      const part = level.subarray(from);
      if (!isFlat(part, most)) continue;
      const [fromNs, toNs] = [at[from]!, at[at.length - 1]!];
      return {
        bytes: median(part),
        error: medianError(part),
        fromNs,
        toNs,
        steady: most === STRICT,
      };
    }
  }
  return 'not flat';
}

function blockMedians({ times, values }: Series, fromNs: number, toNs: number): MedianBlocks {
  // Slow recordings have a sample or less for each block: then each sample is one.
  const at: number[] = [];
  const level: number[] = [];
  for (let row = 0; row < times.length; ) {
    const start = times[row]!;
    if (start < fromNs) {
      row++;
      continue;
    }
    if (start > toNs) break;
    const from = row;
    while (row < times.length && times[row]! < start + BLOCK_NS && times[row]! <= toNs) row++;
    at.push(start);
    level.push(median(values.subarray(from, row)));
  }
  return { at: Float64Array.from(at), level: Float64Array.from(level) };
}

/** Both halves agree, and nearly all blocks are near the level, by the noise of neighbours. */
function isFlat(part: Float64Array, most: number): boolean {
  const half = part.length >> 1;
  const middle = median(part);
  const noise = neighbourNoise(part);
  const drift = Math.abs(median(part.subarray(0, half)) - median(part.subarray(half)));
  const near = Math.max(2 * STEADY_BYTES, Math.min(5 * noise, most));
  const outliers = part.filter((value) => Math.abs(value - middle) > near).length;
  const ends = [part[0]!, part[part.length - 1]!];
  return (
    drift <= Math.max(STEADY_BYTES, Math.min(3 * noise, most / 2)) &&
    outliers <= part.length / 10 &&
    ends.every((value) => Math.abs(value - middle) <= near)
  );
}

function neighbourNoise(part: Float64Array): number {
  const steps = Array.from(part.subarray(1), (value, i) => Math.abs(value - part[i]!));
  return (MAD_TO_SIGMA * median(steps)) / Math.SQRT2;
}

/** Standard error of the median, by the effective number of independent blocks (autocorrelation of lag one). */
function medianError(part: Float64Array): number {
  const middle = median(part);
  const deviations = part.map((value) => value - middle);
  const spread = MAD_TO_SIGMA * median(deviations.map(Math.abs));
  let [squares, products] = [0, 0];
  for (let i = 0; i < deviations.length; i++) {
    squares += deviations[i]! ** 2;
    if (i > 0) products += deviations[i]! * deviations[i - 1]!;
  }
  const rho = squares > 0 ? Math.min(0.95, Math.max(0, products / squares)) : 0;
  const independent = Math.max(1, (part.length * (1 - rho)) / (1 + rho));
  return (1.25 * spread) / Math.sqrt(independent);
}
