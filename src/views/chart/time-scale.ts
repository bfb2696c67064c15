import { scaleLinear } from 'd3-scale';
import { type Axis, type Domain, timeAxis } from './axes.ts';
import type { Scale } from './frame.ts';

/** A time axis and where its moments lie. */
export interface TimeScale {
  readonly axis: Axis;
  readonly x: Scale;
}

/** Time over a width, with as many numbers as stand well beside each other. */
export function timeScale({ low, high }: Domain, left: number, width: number): TimeScale {
  return {
    axis: timeAxis({ low, high }, Math.max(2, Math.floor(width / 72))),
    x: scaleLinear([low, high], [left, left + width]),
  };
}

/** From the first moment to the last; where there is but one, a second about it. */
export function spanOf(moments: ArrayLike<number>): Domain {
  const [low, high] = [moments[0] ?? 0, moments[moments.length - 1] ?? 1];
  return high > low ? { low, high } : { low: low - 0.5, high: low + 0.5 };
}

/** From the first moment to the last and a hair more, so that nothing is drawn on the border. */
export function paddedSpan(first: number, last: number): Domain {
  const pad = last > first ? (last - first) * 0.012 : 0.5;
  return { low: first - pad, high: last + pad };
}
