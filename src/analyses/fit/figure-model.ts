import type { Coordinate } from './coordinates.ts';
import type { Forecast } from './forecast.ts';
import type { Link } from './link.ts';
import type { PeakModel } from './peak-model.ts';
import type { Estimate } from './student-mixture.ts';

/** One phase in numbers that can be read: bytes that are always there, and bytes for each product. */
export interface PhaseFormula {
  readonly constantBytes: number;
  readonly terms: readonly { readonly product: string; readonly bytes: number }[];
}

/** A figure as the runs explain it. */
export interface FigureModel {
  readonly figure: string;
  readonly samples: number;
  /** Where it goes with another figure, whose phases it shows: device = reserved + a context. */
  readonly link: Link | null;
  /** The peak is the largest of these. */
  readonly phases: readonly PhaseFormula[];
  /** Posterior weight of this model; the intervals are of all models together. */
  readonly share: number;
  /** Scatter of the largest samples about it, as a share of them. */
  readonly scatter: number;
  /** What it will be at the combination asked about; null without one, or out of reach. */
  readonly expected: Estimate | null;
  /** The largest samples, predicted by the smaller ones alone. */
  readonly checks: readonly (Estimate & {
    readonly at: Readonly<Record<string, number>>;
    readonly measuredBytes: number;
  })[];
}

export function figureModel(
  { figure, model, samples, tests, link, at: expect }: Forecast,
  coordinates: readonly Coordinate[],
  at: readonly number[] | null,
): FigureModel {
  const [best] = model.candidates;
  return {
    figure,
    samples: samples.length,
    link,
    phases: formulaOf(model, coordinates),
    share: best!.weight,
    scatter: best!.scatter,
    expected: at && expect(at),
    checks: (tests[0] ?? []).map(({ at: point, ...test }) => ({
      at: Object.fromEntries(coordinates.map(({ name }, i) => [name, point[i]!])),
      ...test,
    })),
  };
}

/** The likeliest model; the peak is the largest of these. */
function formulaOf(
  { design, candidates }: PeakModel,
  coordinates: readonly Coordinate[],
): PhaseFormula[] {
  return candidates[0]!.phases
    .map(({ columns, coefficients }) => ({
      constantBytes: coefficients[columns.indexOf(0)] ?? 0,
      terms: columns.flatMap((column, i) =>
        column === 0
          ? []
          : [{ product: product(design.basis[column - 1]!, coordinates), bytes: coefficients[i]! }],
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
