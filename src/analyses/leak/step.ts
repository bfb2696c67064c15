/**
 * What a straight line leaves unexplained, as a share of what the best single step leaves: a step
 * explains a step better, anything that goes on and on a line.
 */
export function stepShare(y: ArrayLike<number>): number {
  const n = y.length;
  const sums = new Float64Array(n + 1);
  const squares = new Float64Array(n + 1);
  let [dot, norm] = [0, 0];
  for (let i = 0; i < n; i++) {
    const value = y[i]! - y[0]!;
    const u = i - (n - 1) / 2;
    sums[i + 1] = sums[i]! + value;
    squares[i + 1] = squares[i]! + value * value;
    dot += u * value;
    norm += u * u;
  }
  const about = (from: number, to: number) =>
    squares[to]! - squares[from]! - (sums[to]! - sums[from]!) ** 2 / (to - from);
  let step = Number.POSITIVE_INFINITY;
  for (let at = 1; at < n; at++) step = Math.min(step, about(0, at) + about(at, n));
  const line = Math.max(0, about(0, n) - (dot * dot) / norm);
  return line === 0 ? 0 : line / Math.max(step, 1e-12 * squares[n]!);
}
