/** A linear fit, and how well its coefficients are known. */
export interface LeastSquaresFit {
  readonly coefficients: readonly number[];
  /** Inverse of XᵀX: the coefficients' covariance for residuals of variance 1. */
  readonly covariance: readonly (readonly number[])[];
}

/** Ordinary least squares by the normal equations, columns scaled to norm 1; null where they are collinear. */
export function leastSquares(
  rows: readonly (readonly number[])[],
  values: readonly number[],
): LeastSquaresFit | null {
  const width = rows[0]?.length ?? 0;
  if (rows.length < width) return null;
  const scale = Array.from({ length: width }, (_, c) =>
    Math.sqrt(rows.reduce((sum, row) => sum + row[c]! ** 2, 0)),
  );
  if (scale.some((size) => !(size > 0))) return null;
  const square = Array.from({ length: width }, () => new Array<number>(width).fill(0));
  const right = new Array<number>(width).fill(0);
  rows.forEach((row, r) => {
    for (let i = 0; i < width; i++) {
      const left = row[i]! / scale[i]!;
      right[i]! += left * values[r]!;
      for (let j = 0; j <= i; j++) square[i]![j]! += (left * row[j]!) / scale[j]!;
    }
  });
  const inverse = invertSymmetric(square);
  if (!inverse) return null;
  const covariance = inverse.map((line, i) =>
    line.map((cell, j) => cell / (scale[i]! * scale[j]!)),
  );
  const coefficients = inverse.map(
    (line, i) => line.reduce((sum, cell, j) => sum + cell * right[j]!, 0) / scale[i]!,
  );
  return { coefficients, covariance };
}

/** A pivot below this is rounding error: the columns are collinear. */
const SMALLEST_PIVOT = 1e-9;

/** The inverse of a symmetric positive definite matrix, given its lower half, by Cholesky's decomposition. */
export function invertSymmetric(lower: readonly (readonly number[])[]): number[][] | null {
  const n = lower.length;
  const l = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = lower[i]![j]!;
      for (let k = 0; k < j; k++) sum -= l[i]![k]! * l[j]![k]!;
      if (i > j) l[i]![j] = sum / l[j]![j]!;
      else if (sum < SMALLEST_PIVOT) return null;
      else l[i]![i] = Math.sqrt(sum);
    }
  }
  const columns = Array.from({ length: n }, (_, c) => solve(l, c));
  return columns;
}

function solve(l: readonly (readonly number[])[], column: number): number[] {
  const n = l.length;
  const x = new Array<number>(n).fill(0);
  for (let i = 0; i < n; i++) {
    let sum = i === column ? 1 : 0;
    for (let k = 0; k < i; k++) sum -= l[i]![k]! * x[k]!;
    x[i] = sum / l[i]![i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i]!;
    for (let k = i + 1; k < n; k++) sum -= l[k]![i]! * x[k]!;
    x[i] = sum / l[i]![i]!;
  }
  return x;
}
