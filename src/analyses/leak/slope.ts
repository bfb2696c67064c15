/** A robust straight line through points, and how sure its slope is. */
export interface Slope {
  /** Theil–Sen: the median of the slopes of all pairs. */
  readonly slope: number;
  /** Kendall's 99 % interval for points whose noise is independent. */
  readonly low: number;
  readonly high: number;
}

/** 99 %, two-sided. */
const Z99 = 2.576;

/** Slopes of all pairs, sorted; the interval counts in from both ends as Kendall's S would allow. */
export function slopeOf(x: ArrayLike<number>, y: ArrayLike<number>): Slope {
  const n = x.length;
  const slopes = new Float64Array((n * (n - 1)) / 2);
  let count = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) slopes[count++] = (y[j]! - y[i]!) / (x[j]! - x[i]!);
  }
  slopes.sort();
  const sigma = Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const aside = Math.floor((count - Z99 * sigma) / 2);
  const edge = Math.max(0, aside);
  return {
    slope: (slopes[(count - 1) >> 1]! + slopes[count >> 1]!) / 2,
    low: slopes[edge]!,
    high: slopes[count - 1 - edge]!,
  };
}

/** A least-squares parabola over evenly spaced points. */
export interface Bend {
  /** The slope at the end as a share of that at the start; NaN where it does not rise at first. */
  readonly endShare: number;
  /** How much it bends downwards, in standard errors of independent noise. */
  readonly fading: number;
  /**
   * Lag-one correlation of what is left: neither an accelerating leak nor a curve that levels off
   * passes for noise that remembers.
   */
  readonly correlation: number;
}

export function bendOf(y: ArrayLike<number>): Bend {
  const n = y.length;
  const middle = (n - 1) / 2;
  // Orthogonal to each other, so that each share is found on its own.
  const square = (n * n - 1) / 12;
  const line = share(y, (i) => i - middle);
  const curve = share(y, (i) => (i - middle) ** 2 - square);
  const mean = share(y, () => 1).amount;
  let [squares, products, before] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const u = i - middle;
    const left = y[i]! - mean - line.amount * u - curve.amount * (u * u - square);
    squares += left * left;
    products += left * before;
    before = left;
  }
  const turn = 2 * curve.amount * middle;
  const rises = line.amount - turn > 0;
  const error = Math.sqrt(squares / (n - 3) / curve.norm);
  return {
    endShare: rises ? (line.amount + turn) / (line.amount - turn) : Number.NaN,
    fading: error > 0 ? -curve.amount / error : curve.amount < 0 ? Number.POSITIVE_INFINITY : 0,
    correlation: squares > 0 ? products / squares : 0,
  };
}

/** How much of a shape a series holds. */
function share(y: ArrayLike<number>, shape: (i: number) => number) {
  let [dot, norm] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    dot += y[i]! * shape(i);
    norm += shape(i) ** 2;
  }
  return { amount: norm > 0 ? dot / norm : 0, norm };
}
