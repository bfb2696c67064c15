import { KiB } from '../../base/bytes.ts';
import { blockMinima } from './block-trend.ts';
import { type BoundedValues, valuesFrom } from './bounded-values.ts';
import { growthBound } from './growth-bound.ts';

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
const INDEPENDENT_ERRORS = 2.4;
/** With fewer values each is a block of its own … */
const FEWEST_FOR_BLOCKS = 16;
/** … and with fewer still a line through them says nothing. */
const FEWEST = 6;

/**
 * By all values, or by the second half alone: what a program takes as it warms up is no leak, and what leaks goes on
 * to the end. The closer bound holds. null: there are too few values.
 */
export function slopeBound(values: BoundedValues): SlopeBound | null {
  const bounds = [boundOf(values), boundOf(secondHalf(values))];
  return bounds.reduce((a, b) => (!a || (b && b.most < a.most) ? b : a));
}

export const secondHalf = (values: BoundedValues): BoundedValues =>
  valuesFrom(values, Math.floor(values.y.length / 2));

function boundOf(values: BoundedValues): SlopeBound | null {
  const { x, y } = values;
  if (y.length < FEWEST) return null;
  const minima = y.length < FEWEST_FOR_BLOCKS ? { x, y } : blockMinima(x, y);
  const { most, rise, span } = growthBound(values, minima, {
    tail: TAIL,
    independentErrors: INDEPENDENT_ERRORS,
    notNegative: false,
  });
  if (!(span > 0)) return null;
  const counted = Math.max(most, rise + COUNTED_BYTES, COUNTED_BYTES);
  return {
    most: counted / span,
    error: (counted - Math.max(0, rise)) / span,
    resolution: COUNTED_BYTES / span,
  };
}
