import { median } from '../../base/stats.ts';

/** A series cut into stretches of equal length, each with one value. */
export interface Blocks {
  /** The middle of each. */
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const BLOCKS = 24;
const SAW_SHARE = 0.4;
/** Fewer blocks leave too little to tell a trend from noise by. */
export const FEWEST_BLOCKS = 12;

/**
 * As many blocks as there are values for, but half as many where that takes most of the noise away:
 * a saw-tooth slower than a block leaves its teeth in the minima.
 */
export function blockMinima(x: Float64Array, y: Float64Array): Blocks {
  const count = Math.min(BLOCKS, Math.floor(y.length / 2));
  const fine = minima(x, y, count);
  if (count < 2 * FEWEST_BLOCKS) return fine;
  const coarse = minima(x, y, count / 2);
  return roughness(coarse.y) < SAW_SHARE * roughness(fine.y) ? coarse : fine;
}

/** The smallest value of each block: what is still held when everything else was let go. */
function minima(x: Float64Array, y: Float64Array, count: number): Blocks {
  return inBlocks(x, y, count, (block) =>
    block.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
  );
}

export function means(x: Float64Array, y: Float64Array, count: number): Blocks {
  return inBlocks(
    x,
    y,
    count,
    (block) => block.reduce((sum, value) => sum + value, 0) / block.length,
  );
}

function inBlocks(
  x: Float64Array,
  y: Float64Array,
  count: number,
  value: (block: Float64Array) => number,
): Blocks {
  const at = new Float64Array(count);
  const values = new Float64Array(count);
  for (let block = 0; block < count; block++) {
    const from = Math.floor((block * y.length) / count);
    const to = Math.floor(((block + 1) * y.length) / count);
    values[block] = value(y.subarray(from, to));
    at[block] = (x[from]! + x[to - 1]!) / 2;
  }
  return { x: at, y: values };
}

/** Noise from block to block, by second differences: a smooth curve has next to none. */
export function roughness(y: Float64Array): number {
  const bends: number[] = [];
  for (let i = 1; i + 1 < y.length; i++) bends.push(Math.abs(y[i - 1]! - 2 * y[i]! + y[i + 1]!));
  return (1.4826 * median(bends)) / Math.sqrt(6);
}

/** What they rise by, from the first to the last, with that slope. */
export const riseOf = ({ x }: Blocks, slope: number): number =>
  x.length > 1 ? slope * (x[x.length - 1]! - x[0]!) : 0;
