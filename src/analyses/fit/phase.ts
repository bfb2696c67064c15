import { leastSquares } from './least-squares.ts';
import type { Row } from './sample.ts';

/** What one phase of a program needs: a constant and products of parameters, none of them negative. */
export interface Phase {
  /** Columns of the rows; 0 is the constant. */
  readonly columns: readonly number[];
  readonly coefficients: readonly number[];
  /** How errors of the rows pass on to it. */
  readonly spread: readonly (readonly number[])[];
}

/** Memory is a sum of things that are there: a phase with a negative part is none. */
export function fitPhase(rows: readonly Row[], columns: readonly number[]): Phase | null {
  if (rows.length < columns.length) return null;
  const solution = leastSquares(
    rows.map(({ values, yardstick }) => columns.map((column) => values[column]! / yardstick)),
    rows.map(({ bytes, yardstick }) => bytes / yardstick),
  );
  if (!solution || solution.coefficients.some((value) => value < 0)) return null;
  return { columns, ...solution };
}

export function phaseBytes({ columns, coefficients }: Phase, values: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < columns.length; i++) sum += coefficients[i]! * values[columns[i]!]!;
  return sum;
}

/** Variance of the phase's own value there, for rows that scatter by one yardstick. */
export function phaseVariance({ columns, spread }: Phase, values: readonly number[]): number {
  let sum = 0;
  for (const [i, a] of columns.entries()) {
    for (const [j, b] of columns.entries()) sum += values[a]! * spread[i]![j]! * values[b]!;
  }
  return sum;
}

/** Which phase is the largest there. */
export function topPhase(phases: readonly Phase[], values: readonly number[]): number {
  let [top, most] = [0, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < phases.length; i++) {
    const bytes = phaseBytes(phases[i]!, values);
    if (bytes > most) [top, most] = [i, bytes];
  }
  return top;
}
