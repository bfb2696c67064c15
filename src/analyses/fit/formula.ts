import type { Coordinate } from './coordinates.ts';
import type { PeakModel } from './peak-model.ts';

/** One phase in numbers that can be read: bytes that are always there, and bytes for each product. */
export interface PhaseFormula {
  readonly constantBytes: number;
  readonly terms: readonly { readonly product: string; readonly bytes: number }[];
}

/** The likeliest explanation; the peak is the largest of these. */
export function formulaOf(
  { rows, candidates }: PeakModel,
  coordinates: readonly Coordinate[],
): PhaseFormula[] {
  return candidates[0]!.phases
    .map(({ columns, coefficients }) => ({
      constantBytes: coefficients[columns.indexOf(0)] ?? 0,
      terms: columns.flatMap((column, i) =>
        column === 0
          ? []
          : [{ product: product(rows.basis[column - 1]!, coordinates), bytes: coefficients[i]! }],
      ),
    }))
    .sort((a, b) => a.terms.length - b.terms.length);
}

function product(powers: readonly number[], coordinates: readonly Coordinate[]): string {
  return powers
    .flatMap((power, i) => {
      const { name, falls } = coordinates[i]!;
      const base = falls ? `1/${name}` : name;
      return power === 0 ? [] : [power === 1 ? base : falls ? `1/${name}²` : `${name}²`];
    })
    .join(' × ');
}
