/** How many of `count` things, sorted so that those come first, `isBefore` holds for. */
export function countBefore(count: number, isBefore: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index with the largest value; nulls (NaN) never win. -1 when there is no value. */
export function highestIndex(values: ArrayLike<number>): number {
  let best = -1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isNaN(value) && (best < 0 || value > values[best]!)) best = i;
  }
  return best;
}

/** The index of the first of rising values that is not below `value`; `count` where all are. */
export const firstFrom = (
  values: ArrayLike<number>,
  value: number,
  count = values.length,
): number => countBefore(count, (index) => values[index]! < value);

/** The index of the last of rising values that is not above `value`; -1 where all are. */
export const lastUpTo = (values: ArrayLike<number>, value: number, count = values.length): number =>
  countBefore(count, (index) => values[index]! <= value) - 1;
