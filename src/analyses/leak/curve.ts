import { studentTail } from '../../base/student.ts';

/**
 * A parabola through evenly spaced values whose noise may remember: each value's noise keeps a share
 * `rho` of the one before. How much it keeps cannot be told well from two dozen values, so no share
 * is chosen: each counts by how well it explains the values (restricted likelihood).
 */
export interface Curve {
  /** How far the growth from the first to the last value may be off, with this chance on each side. */
  doubt(chance: number): number;
  /** How likely it is, after all, that it bends upwards or not at all. */
  readonly notFading: number;
  /** The slope at the end as a share of that at the start; NaN where it does not rise at first. */
  readonly endShare: number;
  /** How much larger the doubt is than it would be if the noise did not remember. */
  readonly stretch: number;
}

/** Shares that noise may keep: 0, 0.05 … 0.95. */
const MEMORIES = Array.from({ length: 20 }, (_, i) => i / 20);
const TERMS = 3;

interface Fit {
  /** Level, slope and bend over −1 … 1. */
  readonly at: readonly [number, number, number];
  readonly slopeError: number;
  readonly bendError: number;
  readonly logLikelihood: number;
}

export function curveOf(y: Float64Array): Curve {
  const all = MEMORIES.map((rho) => fitted(y, rho));
  const best = Math.max(...all.map(({ logLikelihood }) => logLikelihood));
  const weightOf = ({ logLikelihood }: Fit) => Math.exp(logLikelihood - best);
  const fits = all.filter((fit) => weightOf(fit) > NEGLIGIBLE);
  const weights = fits.map(weightOf);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const freedom = y.length - TERMS;
  const mean = (value: (fit: Fit) => number) =>
    fits.reduce((total, fit, i) => total + (weights[i]! / sum) * value(fit), 0);
  const tail = ({ slopeError }: Fit, at: number) => studentTail(at / slopeError, freedom);
  // From −1 to 1 a line grows by twice its slope.
  const doubt = (chance: number) =>
    2 * quantile((at) => mean((fit) => tail(fit, at)), chance, fits);
  const [, slope, bend] = [0, 1, 2].map((term) => mean((f) => f.at[term]!));
  const [start, end] = [slope! - 2 * bend!, slope! + 2 * bend!];
  return {
    doubt,
    notFading: mean((f) => studentTail(-f.at[2] / f.bendError, freedom)),
    endShare: start > 0 ? end / start : Number.NaN,
    get stretch() {
      const [forgetful] = all;
      const alone = 2 * quantile((at) => tail(forgetful!, at), STRETCH_CHANCE, [forgetful!]);
      return Math.max(1, doubt(STRETCH_CHANCE) / alone);
    },
  };
}

const STRETCH_CHANCE = 0.005;
/** A share of memory that explains the values so much worse than the best changes no answer. */
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

/** Generalised least squares: what each value has beyond its share of the one before is independent. */
function fitted(y: Float64Array, rho: number): Fit {
  const n = y.length;
  const middle = (n - 1) / 2;
  const normal = new Float64Array(9);
  const right = [0, 0, 0];
  let squares = 0;
  let before = [0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const u = (i - middle) / middle;
    const now = [1, u, u * u, y[i]! - y[0]!];
    const news =
      i === 0
        ? now.map((value) => value * Math.sqrt(1 - rho * rho))
        : now.map((value, k) => value - rho * before[k]!);
    before = now;
    for (let j = 0; j < TERMS; j++) {
      right[j]! += news[j]! * news[3]!;
      for (let k = 0; k < TERMS; k++) normal[3 * j + k]! += news[j]! * news[k]!;
    }
    squares += news[3]! ** 2;
  }
  const { inverse, determinant } = invert(normal);
  const at = [0, 1, 2].map((j) =>
    right.reduce((sum, value, k) => sum + inverse[3 * j + k]! * value, 0),
  ) as [number, number, number];
  const explained = at.reduce((sum, value, k) => sum + value * right[k]!, 0);
  // A series without any noise leaves nothing but rounding.
  const left = Math.max(squares - explained, 1e-12 * squares, 1e-6);
  const variance = left / (n - TERMS);
  return {
    at,
    slopeError: Math.sqrt(variance * inverse[4]!),
    bendError: Math.sqrt(variance * inverse[8]!),
    logLikelihood:
      (Math.log(1 - rho * rho) - Math.log(determinant) - (n - TERMS) * Math.log(left)) / 2,
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
