import { studentTail } from '../../base/student.ts';

/**
 * A parabola through evenly spaced values with autocorrelated noise, AR(1) of coefficient `rho`. Two
 * dozen values do not tell `rho` well, so none is chosen: the fits for all of them are averaged, each
 * weighed by its restricted likelihood.
 */
export interface AutocorrelatedFit {
  /** Half-width of the interval of the growth from first to last value that leaves `tail` on each side. */
  halfWidth(tail: number): number;
  /** Probability that the curvature is upwards or nil, so that growth does not fade. */
  readonly notFading: number;
  /** The slope at the end as a share of that at the start; NaN where it does not rise at first. */
  readonly endShare: number;
  /** How much wider the interval is than that of independent noise (`rho` = 0). */
  readonly inflation: number;
}

/** Autocorrelations that are tried: 0, 0.05 … 0.95. */
const RHOS = Array.from({ length: 20 }, (_, i) => i / 20);
const TERMS = 3;

interface Fit {
  /** Level, slope and curvature over −1 … 1. */
  readonly coefficients: readonly [number, number, number];
  readonly slopeError: number;
  readonly curvatureError: number;
  readonly logLikelihood: number;
}

export function autocorrelatedFit(y: Float64Array): AutocorrelatedFit {
  const all = RHOS.map((rho) => fitFor(y, rho));
  const best = Math.max(...all.map(({ logLikelihood }) => logLikelihood));
  const weightOf = ({ logLikelihood }: Fit) => Math.exp(logLikelihood - best);
  const fits = all.filter((fit) => weightOf(fit) > NEGLIGIBLE);
  const weights = fits.map(weightOf);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const freedom = y.length - TERMS;
  const mean = (value: (fit: Fit) => number) =>
    fits.reduce((total, fit, i) => total + (weights[i]! / sum) * value(fit), 0);
  const tailBeyond = ({ slopeError }: Fit, at: number) => studentTail(at / slopeError, freedom);
  // From −1 to 1 a line grows by twice its slope.
  const halfWidth = (tail: number) =>
    2 * quantile((at) => mean((fit) => tailBeyond(fit, at)), tail, fits);
  const [, slope, curvature] = [0, 1, 2].map((term) => mean((fit) => fit.coefficients[term]!));
  const [start, end] = [slope! - 2 * curvature!, slope! + 2 * curvature!];
  return {
    halfWidth,
    notFading: mean((fit) => studentTail(-fit.coefficients[2] / fit.curvatureError, freedom)),
    endShare: start > 0 ? end / start : Number.NaN,
    get inflation() {
      const [independent] = all;
      const narrow =
        2 * quantile((at) => tailBeyond(independent!, at), INFLATION_TAIL, [independent!]);
      return Math.max(1, halfWidth(INFLATION_TAIL) / narrow);
    },
  };
}

const INFLATION_TAIL = 0.005;
/** An autocorrelation that is so much less likely than the best changes no answer. */
const NEGLIGIBLE = 1e-8;

/** Where a falling function reaches `chance`; errors of the fits tell how far to look. */
function quantile(tail: (at: number) => number, chance: number, fits: readonly Fit[]): number {
  let [low, high] = [0, 64 * Math.max(...fits.map(({ slopeError }) => slopeError))];
  for (let i = 0; i < 32; i++) {
    const middle = (low + high) / 2;
    if (tail(middle) > chance) low = middle;
    else high = middle;
  }
  return high;
}

/** Generalised least squares: whitened values, each without `rho` times the one before, are independent. */
function fitFor(y: Float64Array, rho: number): Fit {
  const n = y.length;
  const middle = (n - 1) / 2;
  const normal = new Float64Array(9);
  const right = [0, 0, 0];
  let squares = 0;
  let before = [0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const u = (i - middle) / middle;
    const now = [1, u, u * u, y[i]! - y[0]!];
    const whitened =
      i === 0
        ? now.map((value) => value * Math.sqrt(1 - rho * rho))
        : now.map((value, k) => value - rho * before[k]!);
    before = now;
    for (let j = 0; j < TERMS; j++) {
      right[j]! += whitened[j]! * whitened[3]!;
      for (let k = 0; k < TERMS; k++) normal[3 * j + k]! += whitened[j]! * whitened[k]!;
    }
    squares += whitened[3]! ** 2;
  }
  const { inverse, determinant } = invert(normal);
  const coefficients = [0, 1, 2].map((j) =>
    right.reduce((sum, value, k) => sum + inverse[3 * j + k]! * value, 0),
  ) as [number, number, number];
  const explained = coefficients.reduce((sum, value, k) => sum + value * right[k]!, 0);
  // A series without any noise leaves nothing but rounding.
  const residual = Math.max(squares - explained, 1e-12 * squares, 1e-6);
  const variance = residual / (n - TERMS);
  return {
    coefficients,
    slopeError: Math.sqrt(variance * inverse[4]!),
    curvatureError: Math.sqrt(variance * inverse[8]!),
    logLikelihood:
      (Math.log(1 - rho * rho) - Math.log(determinant) - (n - TERMS) * Math.log(residual)) / 2,
  };
}

/** Of a symmetric matrix of three rows. */
function invert(m: Float64Array): { inverse: number[]; determinant: number } {
  const [a, b, c, , d, e, , , f] = m as unknown as number[];
  const minors = [d! * f! - e! * e!, c! * e! - b! * f!, b! * e! - c! * d!];
  const determinant = a! * minors[0]! + b! * minors[1]! + c! * minors[2]!;
  const [p, q, r] = minors;
  const inverse = [
    ...[p!, q!, r!],
    ...[q!, a! * f! - c! * c!, b! * c! - a! * e!],
    ...[r!, b! * c! - a! * e!, a! * d! - b! * b!],
  ].map((value) => value / determinant);
  return { inverse, determinant };
}
