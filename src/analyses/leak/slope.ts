/** Theil–Sen: the median of the slopes of all pairs, which a few strays do not move. */
export function slopeOf(x: ArrayLike<number>, y: ArrayLike<number>): number {
  const n = x.length;
  const slopes = new Float64Array((n * (n - 1)) / 2);
  let count = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) slopes[count++] = (y[j]! - y[i]!) / (x[j]! - x[i]!);
  }
  slopes.sort();
  return (slopes[(count - 1) >> 1]! + slopes[count >> 1]!) / 2;
}
