import type { Coordinate } from './coordinates.ts';
import { countPoints } from './design-matrix.ts';
import type { PeakModel } from './peak-model.ts';

/** Beyond so many times what was measured, any phase may become the largest that was not seen yet. */
export const MOST_EXTRAPOLATION = 4;
const FEWEST_POINTS = 3;
/** A peak has risen where it is so much above the lowest. */
const RISE = 1.05;
/** Peaks that scatter about every curve by more than this do not follow the sizes. */
const MOST_SCATTER = 0.15;

/** Why nothing can be said from these samples at all; null where something can. */
export function whyNoFit(coordinates: readonly Coordinate[], points: number): string | null {
  if (points === 0) return 'no run has the figure that is held against the limit';
  if (!coordinates.some(({ values }) => values.length > 1)) {
    return 'no parameter that is a number was varied';
  }
  if (points < FEWEST_POINTS) {
    return `${points === 1 ? 'only one size was' : `only ${points} sizes were`} measured, and it takes three at least, better five`;
  }
  return null;
}

/** Why larger sizes than the measured ones cannot be judged; null where they can. */
export function whyNoExtrapolation({ design, candidates }: PeakModel): string | null {
  const [best] = candidates;
  if (best!.scatter > MOST_SCATTER) {
    const percent = Math.round(best!.scatter * 100);
    return `the peaks do not follow the sizes: they scatter by ${percent} % about the best curve`;
  }
  const lowest = Math.min(...design.rows.map(({ bytes }) => bytes));
  const risen = countPoints(design.rows.filter(({ bytes }) => bytes > lowest * RISE));
  if (risen >= FEWEST_POINTS) return null;
  const seen = risen === 0 ? 'nowhere' : risen === 1 ? 'at one size only' : 'at two sizes only';
  return `the peak rises ${seen}: another phase may take over, so measure larger sizes`;
}

/** Why this combination is too far from those measured; null where it is not. */
export function tooFar(coordinates: readonly Coordinate[], at: readonly number[]): string | null {
  for (const [i, { name, values, falls }] of coordinates.entries()) {
    const [least, most] = [values[0]!, values.at(-1)!];
    const value = at[i]!;
    if (values.length === 1 && value !== most) return `${name} was ${most} in all runs`;
    if (!falls && value > most * MOST_EXTRAPOLATION) {
      return `${name}=${value} is ${times(value / most)} the largest that was measured (${most}); up to ${most * MOST_EXTRAPOLATION} can be judged`;
    }
    if (falls && value < least / MOST_EXTRAPOLATION) {
      return `${name}=${value} is ${times(least / value)} below the smallest that was measured (${least})`;
    }
  }
  return null;
}

const times = (ratio: number) =>
  `${ratio < 10 ? ratio.toFixed(1).replace(/\.0$/, '') : Math.round(ratio)} times`;

/** Up to the largest measured value of each parameter nothing is extrapolated. */
export const isInside = (coordinates: readonly Coordinate[], at: readonly number[]): boolean =>
  coordinates.every(({ values, falls }, i) =>
    falls ? at[i]! >= values[0]! : at[i]! <= values.at(-1)!,
  );
