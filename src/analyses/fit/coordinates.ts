import type { Sample } from './design-matrix.ts';

/** A parameter as the model sees it: as it is, or its reciprocal where more of it needs less memory. */
export interface Coordinate {
  readonly name: string;
  /** The values that were measured, ascending. */
  readonly values: readonly number[];
  /** More devices, more pieces: what is left for each falls with 1/n. */
  readonly falls: boolean;
}

export function coordinatesOf(names: readonly string[], samples: readonly Sample[]): Coordinate[] {
  return names.map((name, i) => {
    const values = [...new Set(samples.map(({ at }) => at[i]!))].sort((a, b) => a - b);
    return { name, values, falls: values.every((value) => value > 0) && fallsWith(i, samples) };
  });
}

export const toCoordinates = (
  coordinates: readonly Coordinate[],
  at: readonly number[],
): number[] => coordinates.map(({ falls }, i) => (falls ? 1 / at[i]! : at[i]!));

/** Changes smaller than this are noise. */
const CHANGE = 0.02;

/** Whether, all else equal, more of it came with less memory more often than with more. */
function fallsWith(parameter: number, samples: readonly Sample[]): boolean {
  let [less, more] = [0, 0];
  for (const a of samples) {
    for (const b of samples) {
      if (a.at[parameter]! >= b.at[parameter]!) continue;
      if (a.at.some((value, i) => i !== parameter && value !== b.at[i])) continue;
      if (b.bytes < a.bytes * (1 - CHANGE)) less++;
      if (b.bytes > a.bytes * (1 + CHANGE)) more++;
    }
  }
  return less > 2 * more;
}
