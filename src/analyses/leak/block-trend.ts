import { median } from '../../base/stats.ts';

/** A series reduced to blocks of equal length, each with one value. */
export interface BlockSeries {
  /** The middle of each. */
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const BLOCKS = 24;
const SAW_SHARE = 0.4;
/** Fewer blocks leave too little to tell a trend from noise by. */
export const FEWEST_BLOCKS = 12;
/** From a median absolute deviation to the standard deviation of a normal distribution. */
const MAD_TO_SIGMA = 1.4826;

/**
 * As many blocks as there are values for, but half as many where that takes most of the noise away:
 * a saw-tooth slower than a block leaves its teeth in the minima.
 */
export function blockMinima(x: Float64Array, y: Float64Array): BlockSeries {
  const count = Math.min(BLOCKS, Math.floor(y.length / 2));
  const fine = minima(x, y, count);
  if (count < 2 * FEWEST_BLOCKS) return fine;
  const coarse = minima(x, y, count / 2);
  return roughness(coarse.y) < SAW_SHARE * roughness(fine.y) ? coarse : fine;
}

/** The smallest value of each block: what is still held when everything else was freed. */
function minima(x: Float64Array, y: Float64Array, count: number): BlockSeries {
  return inBlocks(x, y, count, (block) =>
    block.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
  );
}

/** The largest value of each block. */
export function blockMaxima(x: Float64Array, y: Float64Array, count: number): BlockSeries {
  return inBlocks(x, y, count, (block) =>
    block.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
  );
}

export function blockMeans(x: Float64Array, y: Float64Array, count: number): BlockSeries {
  return inBlocks(
    x,
    y,
    count,
    (block) => block.reduce((sum, value) => sum + value, 0) / block.length,
  );
}

export function blockMedians(x: Float64Array, y: Float64Array, count: number): BlockSeries {
  return inBlocks(x, y, count, median);
}

function inBlocks(
  x: Float64Array,
  y: Float64Array,
  count: number,
  reduce: (block: Float64Array) => number,
): BlockSeries {
  const middles = new Float64Array(count);
  const values = new Float64Array(count);
  for (let block = 0; block < count; block++) {
    const from = Math.floor((block * y.length) / count);
    const to = Math.floor(((block + 1) * y.length) / count);
    values[block] = reduce(y.subarray(from, to));
    middles[block] = (x[from]! + x[to - 1]!) / 2;
  }
  return { x: middles, y: values };
}

/** Theil–Sen: the median of the slopes of all pairs, robust against outliers. */
export function theilSenSlope(blocks: BlockSeries): number {
  const slopes = pairSlopes(blocks);
  const count = slopes.length;
  return (slopes[(count - 1) >> 1]! + slopes[count >> 1]!) / 2;
}

/** Sen's upper limit of that slope, so many standard deviations of Kendall's S away: it takes no notice of outliers either. */
export function senUpperSlope(blocks: BlockSeries, deviations: number): number {
  const slopes = pairSlopes(blocks);
  const [n, count] = [blocks.x.length, slopes.length];
  const width = deviations * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  return slopes[Math.min(count - 1, Math.ceil((count + width) / 2))]!;
}

/** Of all pairs, ascending. */
function pairSlopes({ x, y }: BlockSeries): Float64Array {
  const n = x.length;
  const slopes = new Float64Array((n * (n - 1)) / 2);
  let count = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) slopes[count++] = (y[j]! - y[i]!) / (x[j]! - x[i]!);
  }
  return slopes.sort();
}

/** What a line of that slope rises by, from the first block to the last. */
export const riseOf = ({ x }: BlockSeries, slope: number): number =>
  x.length > 1 ? slope * (x[x.length - 1]! - x[0]!) : 0;

/** Standard deviation from block to block, by second differences: a smooth curve has next to none. */
export function roughness(y: Float64Array): number {
  const bends: number[] = [];
  for (let i = 1; i + 1 < y.length; i++) bends.push(Math.abs(y[i - 1]! - 2 * y[i]! + y[i + 1]!));
  return (MAD_TO_SIGMA * median(bends)) / Math.sqrt(6);
}

/** Robust standard deviation of single values about a line of that slope. */
export function scatterAboutLine(x: Float64Array, y: Float64Array, slope: number): number {
  const residuals = y.map((value, i) => value - slope * x[i]!);
  const middle = median(residuals);
  return MAD_TO_SIGMA * median(residuals.map((value) => Math.abs(value - middle)));
}

/** From one value to the next, as a standard deviation; none where most are as the one before. */
export function typicalStep(y: Float64Array): number {
  return MAD_TO_SIGMA * median(y.subarray(1).map((value, i) => Math.abs(value - y[i]!)));
}
