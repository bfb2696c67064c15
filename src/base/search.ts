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

/** The index of the first of rising values that is not below `value`; `count` where all are. */
export const firstFrom = (
  values: ArrayLike<number>,
  value: number,
  count = values.length,
): number => countBefore(count, (index) => values[index]! < value);

/** The index of the last of rising values that is not above `value`; -1 where all are. */
export const lastUpTo = (values: ArrayLike<number>, value: number, count = values.length): number =>
  countBefore(count, (index) => values[index]! <= value) - 1;
