import type { Coordinate } from './coordinates.ts';
import { MOST_EXTRAPOLATION } from './extrapolation.ts';

/** How far one parameter can go while the rest stay as they are. */
export interface Largest {
  readonly parameter: string;
  /** The values of the others. */
  readonly others: Readonly<Record<string, number>>;
  /** null: not even the smallest that can be judged fits. For a parameter of which more needs less, the smallest that fits. */
  readonly value: number | null;
  /** All that can be judged fits: the value is where judging ends, not where memory does. */
  readonly atLeast: boolean;
  /** The other parameters are where nothing can be judged. */
  readonly unknown: boolean;
}

/** What ends the search: the memory, or the range that can be judged. */
export type Stop = 'memory' | 'reach';

/** Steps of a parameter that is no whole number: parts of its largest value. */
const FRACTIONS = 1000;

export function largestThatFits(
  coordinates: readonly Coordinate[],
  parameter: number,
  at: readonly number[],
  stopAt: (at: readonly number[]) => Stop | null,
): Largest {
  const { name, values, falls } = coordinates[parameter]!;
  const [least, most] = [values[0]!, values.at(-1)!];
  const whole = values.every(Number.isInteger);
  const step = whole ? 1 : most / FRACTIONS;
  // Steps are counted from the easy end, so that the search is the same for both directions.
  const [easy, hard] = falls
    ? [
        most,
        Math.max(step, whole ? Math.ceil(least / MOST_EXTRAPOLATION) : least / MOST_EXTRAPOLATION),
      ]
    : [Math.min(least, step), most * MOST_EXTRAPOLATION];
  const valueAt = (count: number) =>
    falls ? Math.max(hard, easy - count * step) : Math.min(hard, easy + count * step);
  const stop = (count: number) =>
    stopAt(at.map((value, i) => (i === parameter ? valueAt(count) : value)));
  const end = Math.ceil(Math.abs(hard - easy) / step);
  const others = Object.fromEntries(
    coordinates.flatMap((one, i) => (i === parameter ? [] : [[one.name, at[i]!]])),
  );
  const blocked = stop(0);
  const found = { parameter: name, others, unknown: blocked === 'reach' };
  if (blocked) return { ...found, value: null, atLeast: false };
  if (!stop(end)) return { ...found, value: tidy(valueAt(end)), atLeast: true };
  let [low, high] = [0, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (stop(middle)) high = middle;
    else low = middle;
  }
  return { ...found, value: tidy(valueAt(low)), atLeast: stop(high) === 'reach' };
}

const tidy = (value: number) => (Number.isInteger(value) ? value : Number(value.toPrecision(3)));
