import { type Candidate, expectation } from './candidate.ts';
import { type Belief, chanceAbove, type Estimate, estimate } from './mixture.ts';
import { valuesAt } from './monomials.ts';
import { type Rows, rowsOf, type Sample, type Shares } from './sample.ts';
import { search } from './search.ts';

/** A run that gave up: it needed more than it had reached. */
export interface Bound {
  readonly at: readonly number[];
  readonly bytes: number;
}

/** What is known beside the samples. */
export interface Knowledge {
  readonly bounds?: readonly Bound[];
  readonly shares?: Shares;
}

/** All explanations of a set of peaks that are worth hearing, the likeliest first. */
export interface PeakModel {
  readonly rows: Rows;
  readonly candidates: readonly (Candidate & { readonly weight: number })[];
  /** How many times wider than it thought an interval had to be, where that could be tried. */
  readonly widening: number;
}

/** Explanations less likely than this, against the best, are not heard. */
const HEARD = 1e-3;

/** null where no explanation is borne by the samples: there are too few of them. */
export function peakModel(
  samples: readonly Sample[],
  { bounds = [], shares }: Knowledge = {},
): PeakModel | null {
  const rows = rowsOf(samples, shares);
  const found = search(rows);
  const best = found[0];
  if (!best) return null;
  const weighed = found
    .map((one) => ({ ...one, weight: Math.exp((best.score - one.score) / 2) }))
    .filter(({ weight }) => weight > HEARD)
    .map((one) => ({ ...one, weight: one.weight * likelihood(one, rows, bounds) }));
  const sum = weighed.reduce((all, { weight }) => all + weight, 0);
  const candidates = weighed
    .map((one) => ({ ...one, weight: one.weight / sum }))
    .sort((a, b) => b.weight - a.weight);
  return { rows, candidates, widening: 1 };
}

/** An explanation by which a run should have gone well that did not is less likely; never impossible. */
function likelihood(one: Candidate, rows: Rows, bounds: readonly Bound[]): number {
  return bounds.reduce((product, { at, bytes }) => {
    const belief = {
      ...expectation(one, valuesAt(rows.basis, at), rows.top),
      freedom: one.freedom,
      weight: 1,
    };
    return product * Math.max(1e-6, chanceAbove([belief], bytes));
  }, 1);
}

function beliefsAt({ rows, candidates }: PeakModel, at: readonly number[]): Belief[] {
  const values = valuesAt(rows.basis, at);
  return candidates.map((one) => ({
    ...expectation(one, values, rows.top),
    freedom: one.freedom,
    weight: one.weight,
  }));
}

export const predict = (model: PeakModel, at: readonly number[]): Estimate =>
  estimate(beliefsAt(model, at), model.widening);

/** How much of the weight lies on explanations in which a monomial takes part. */
export function sharesOf({ rows, candidates }: PeakModel): Shares {
  const byName = new Map<string, number>();
  for (const { phases, weight } of candidates) {
    const used = new Set(phases.flatMap(({ columns }) => columns.filter((column) => column > 0)));
    for (const column of used) {
      const name = rows.basis[column - 1]!.join();
      byName.set(name, (byName.get(name) ?? 0) + weight);
    }
  }
  return (powers) => byName.get(powers.join()) ?? 0;
}
