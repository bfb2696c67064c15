import { KiB } from '../../base/bytes.ts';
import { autocorrelatedFit } from './autocorrelated-fit.ts';
import {
  type BlockSeries,
  blockMeans,
  blockMinima,
  riseOf,
  scatterAboutLine,
  theilSenSlope,
} from './block-trend.ts';

/** At most so fast a series grows, but for a chance of one in twenty. Per iteration or second. */
export interface SlopeBound {
  readonly most: number;
  /** What of it is not known: by so much the bound lies above the slope that was seen. */
  readonly error: number;
  /** Below this nothing shows in a run of this length, however quiet it is. */
  readonly resolution: number;
}

export const CONFIDENCE = 0.95;

/**
 * Of each of the four intervals below: autocorrelation that is estimated from few values is told too small, so that
 * less than a fourth of one in twenty is asked for. In simulations one in twenty is kept for all kinds of noise.
 */
const TAIL = (1 - CONFIDENCE) / 40;
/** A page that a thread takes is counted when it has taken 64 of them. */
const COUNTED_BYTES = 256 * KiB;
/** No bound is closer than if all values were independent: so many standard errors of a line through them. */
const INDEPENDENT_ERRORS = 2.4;
const MOST_MEANS = 48;
/** With fewer values each is a block of its own … */
const FEWEST_FOR_BLOCKS = 16;
/** … and with fewer still a line through them says nothing. */
const FEWEST = 6;

/**
 * By all values, or by the second half alone: what a program takes as it warms up is no leak, and what leaks goes on
 * to the end. The closer bound holds. null: there are too few values.
 */
export function slopeBound(x: Float64Array, y: Float64Array): SlopeBound | null {
  const half = Math.floor(y.length / 2);
  const bounds = [boundOf(x, y), boundOf(x.subarray(half), y.subarray(half))];
  return bounds.reduce((a, b) => (!a || (b && b.most < a.most) ? b : a));
}

/** What is leaked lifts the smallest values of blocks and their means alike; the closer bound of both holds. */
function boundOf(x: Float64Array, y: Float64Array): SlopeBound | null {
  if (y.length < FEWEST) return null;
  const [minima, means] = blocksOf(x, y);
  const [ofMinima, ofMeans] = [minima, means].map((blocks) => {
    const rise = riseOf(blocks, theilSenSlope(blocks));
    return { rise, most: rise + autocorrelatedFit(blocks.y).halfWidth(TAIL) };
  });
  const span = minima.x[minima.x.length - 1]! - minima.x[0]!;
  if (!(span > 0)) return null;
  const rise = ofMinima!.rise;
  const scatter = scatterAboutLine(x, y, rise / span);
  const independent = INDEPENDENT_ERRORS * scatter * Math.sqrt(12 / y.length);
  const most = Math.max(
    Math.min(ofMinima!.most, Math.max(ofMeans!.most, rise)),
    rise + Math.max(independent, COUNTED_BYTES),
    COUNTED_BYTES,
  );
  return {
    most: most / span,
    error: (most - Math.max(0, rise)) / span,
    resolution: COUNTED_BYTES / span,
  };
}

function blocksOf(x: Float64Array, y: Float64Array): [BlockSeries, BlockSeries] {
  if (y.length < FEWEST_FOR_BLOCKS)
    return [
      { x, y },
      { x, y },
    ];
  const minima = blockMinima(x, y);
  const count = Math.max(minima.y.length, Math.min(MOST_MEANS, Math.floor(y.length / 2)));
  return [minima, blockMeans(x, y, count)];
}
