import { countPoints, type DesignMatrix, type DesignRow, errorScaleOf } from './design-matrix.ts';
import { leastSquares } from './least-squares.ts';

/** One model of the samples: the peak is the largest of its phases. */
export interface CandidateModel {
  readonly phases: readonly FitPhase[];
  /** Lower is better: misfit, and a penalty for each coefficient (Schwarz's criterion). */
  readonly score: number;
  /** Residual standard deviation in units of the error scale, and its degrees of freedom. */
  readonly scatter: number;
  readonly freedom: number;
  /** Sum of squared residuals, the prior's among them; coefficients and phases; penalties of its terms. */
  readonly misfit: number;
  readonly cost: number;
  readonly penalty: number;
}

/** What one phase of a program needs: a constant and products of parameters, none of them negative. */
export interface FitPhase {
  /** Columns of the rows; 0 is the constant. */
  readonly columns: readonly number[];
  readonly coefficients: readonly number[];
  /** Covariance of the coefficients for a scatter of 1. */
  readonly covariance: readonly (readonly number[])[];
}

/** The prior scatter has the weight of so many measurements: few samples that lie on a line by chance are not called exact. */
const PRIOR_WEIGHT = 2;

/** null where there are too few samples for its coefficients. */
export function candidateModel(
  phases: readonly FitPhase[],
  { penalties, rows, priorScatter }: DesignMatrix,
): CandidateModel | null {
  const owners = rows.map(({ values }) => largestPhase(phases, values));
  for (const [i, { columns }] of phases.entries()) {
    // A phase goes exactly through as many points as it has coefficients, whatever they are.
    const points = countPoints(rows.filter((_, row) => owners[row] === i));
    if (points < (columns.length === 1 ? 1 : columns.length + 1)) return null;
  }
  let misfit = PRIOR_WEIGHT * priorScatter ** 2;
  let cost = phases.length - 1;
  let penalty = 0;
  for (const [row, { values, bytes, errorScale }] of rows.entries()) {
    misfit += ((phaseBytes(phases[owners[row]!]!, values) - bytes) / errorScale) ** 2;
  }
  for (const { columns } of phases) {
    cost += columns.length;
    for (const column of columns) if (column > 0) penalty += penalties[column - 1]!;
  }
  const n = rows.reduce((sum, { weight }) => sum + weight, 0);
  const parts = { misfit, cost, penalty };
  return { phases, ...parts, ...candidateScore(parts, misfit, n) };
}

/** How well a model does that leaves so much misfit on rows of so much weight. */
export function candidateScore(
  { cost, penalty }: Pick<CandidateModel, 'cost' | 'penalty'>,
  misfit: number,
  weight: number,
): Pick<CandidateModel, 'score' | 'scatter' | 'freedom'> {
  const freedom = Math.max(1, weight + PRIOR_WEIGHT - cost);
  // Schwarz's criterion, with the scatter integrated out under the prior.
  const score =
    (weight + PRIOR_WEIGHT) * Math.log(misfit) + cost * Math.log(Math.max(2, weight)) + penalty;
  return { score, scatter: Math.sqrt(misfit / freedom), freedom };
}

/** What it predicts there, and the scale by which one more measurement would scatter about that. */
export function predictionOf(
  { phases, scatter }: CandidateModel,
  values: readonly number[],
  largestBytes: number,
) {
  const phase = phases[largestPhase(phases, values)]!;
  const bytes = phaseBytes(phase, values);
  const scale = predictionScale(scatter, bytes, phaseVariance(phase, values), largestBytes);
  return { bytes, scale };
}

/** Scatter of one more measurement, and of the curve itself. */
export const predictionScale = (
  scatter: number,
  bytes: number,
  variance: number,
  largestBytes: number,
): number => scatter * Math.sqrt(errorScaleOf(bytes, largestBytes) ** 2 + variance);

/** Weighted least squares; null where a coefficient is negative: memory is a sum of things that are there. */
export function fitPhase(rows: readonly DesignRow[], columns: readonly number[]): FitPhase | null {
  if (rows.length < columns.length) return null;
  const solution = leastSquares(
    rows.map(({ values, errorScale }) => columns.map((column) => values[column]! / errorScale)),
    rows.map(({ bytes, errorScale }) => bytes / errorScale),
  );
  if (!solution || solution.coefficients.some((value) => value < 0)) return null;
  return { columns, ...solution };
}

export function phaseBytes({ columns, coefficients }: FitPhase, values: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < columns.length; i++) sum += coefficients[i]! * values[columns[i]!]!;
  return sum;
}

/** Variance of the phase's own value there, for a scatter of 1. */
function phaseVariance({ columns, covariance }: FitPhase, values: readonly number[]): number {
  let sum = 0;
  for (const [i, a] of columns.entries()) {
    for (const [j, b] of columns.entries()) sum += values[a]! * covariance[i]![j]! * values[b]!;
  }
  return sum;
}

/** Which phase is the largest there. */
export function largestPhase(phases: readonly FitPhase[], values: readonly number[]): number {
  let [top, most] = [0, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < phases.length; i++) {
    const bytes = phaseBytes(phases[i]!, values);
    if (bytes > most) [top, most] = [i, bytes];
  }
  return top;
}
