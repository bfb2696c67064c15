import type { Coordinate } from './coordinates.ts';
import type { Forecast } from './forecast.ts';
import { formulaOf, type PhaseFormula } from './formula.ts';
import type { Estimate } from './mixture.ts';

/** A figure as the runs explain it. */
export interface FigureModel {
  readonly figure: string;
  readonly samples: number;
  /** The peak is the largest of these. */
  readonly phases: readonly PhaseFormula[];
  /** How much of the belief lies on this explanation; the intervals are of all together. */
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
  { figure, model, samples, tests, at: expect }: Forecast,
  coordinates: readonly Coordinate[],
  at: readonly number[] | null,
): FigureModel {
  const [best] = model.candidates;
  return {
    figure,
    samples: samples.length,
    phases: formulaOf(model, coordinates),
    share: best!.weight,
    scatter: best!.scatter,
    expected: at && expect(at),
    checks: (tests[0] ?? []).map(({ at: place, ...test }) => ({
      at: Object.fromEntries(coordinates.map(({ name }, i) => [name, place[i]!])),
      ...test,
    })),
  };
}
