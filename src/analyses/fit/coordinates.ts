import type { Sample } from './design-matrix.ts';

/** A parameter as the model sees it: as it is, or its reciprocal where more of it needs less memory. */
export interface Coordinate {
  readonly name: string;
  /** The values that were measured, ascending. */
  readonly values: readonly number[];
  /** More devices, more pieces: what is left for each falls with 1/n. */
  readonly falls: boolean;
  /** Pairs of runs show that more of it (less, where it falls) never needs less, noise aside. */
  readonly monotone: boolean;
}

export function coordinatesOf(names: readonly string[], samples: readonly Sample[]): Coordinate[] {
  return names.map((name, i) => {
    const values = [...new Set(samples.map(({ at }) => at[i]!))].sort((a, b) => a - b);
    const { less, more } = changesWith(i, samples);
    const falls = values.every((value) => value > 0) && less > 2 * more;
    const [against, pro] = falls ? [more, less] : [less, more];
    return { name, values, falls, monotone: pro > 0 && against <= EXCEPTIONS * (against + pro) };
  });
}

export const toCoordinates = (
  coordinates: readonly Coordinate[],
  at: readonly number[],
): number[] => coordinates.map(({ falls }, i) => (falls ? 1 / at[i]! : at[i]!));

/** Changes smaller than this are noise. */
const CHANGE = 0.02;

/** Of ten changes one may go the other way: allocators round, and peaks are noisy. */
const EXCEPTIONS = 0.1;

/** How often, all else equal, more of it came with less memory, and with more. */
function changesWith(
  parameter: number,
  samples: readonly Sample[],
): { readonly less: number; readonly more: number } {
  let [less, more] = [0, 0];
  for (const a of samples) {
    for (const b of samples) {
      if (a.at[parameter]! >= b.at[parameter]!) continue;
      if (a.at.some((value, i) => i !== parameter && value !== b.at[i])) continue;
      if (b.bytes < a.bytes * (1 - CHANGE)) less++;
      if (b.bytes > a.bytes * (1 + CHANGE)) more++;
    }
  }
  return { less, more };
}
