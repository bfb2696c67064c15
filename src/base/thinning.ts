export interface SampledCurve {
  readonly xs: Float64Array;
  readonly ys: Float64Array;
}

/**
 * A curve with at most four points for each of `columns` equal stretches of [from, to]: the first, the
 * lowest, the highest and the last of it, so that no peak is lost however short it was. NaN breaks
 * stay. One point on either side is kept, for the line that leads out of the picture.
 */
export function thinned(
  { xs, ys }: SampledCurve,
  from: number,
  to: number,
  columns: number,
): SampledCurve {
  let start = 0;
  while (start < xs.length - 1 && xs[start + 1]! < from) start++;
  let end = xs.length;
  while (end > start + 1 && xs[end - 2]! > to) end--;
  if (end - start <= 4 * columns) return { xs: xs.slice(start, end), ys: ys.slice(start, end) };
  const wide = (to - from) / columns || 1;
  const kept: number[] = [];
  for (let row = start; row < end; ) {
    const column = Math.floor((xs[row]! - from) / wide);
    const first = row;
    let [low, high] = [row, row];
    const broken = Number.isNaN(ys[row]!);
    for (row++; row < end && !broken && Math.floor((xs[row]! - from) / wide) === column; row++) {
      if (Number.isNaN(ys[row]!)) break;
      if (ys[row]! < ys[low]!) low = row;
      if (ys[row]! > ys[high]!) high = row;
    }
    kept.push(...[...new Set([first, low, high, row - 1])].sort((a, b) => a - b));
  }
  return {
    xs: Float64Array.from(kept, (row) => xs[row]!),
    ys: Float64Array.from(kept, (row) => ys[row]!),
  };
}
