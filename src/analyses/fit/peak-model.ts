import { type CandidateModel, predictionOf } from './candidate-model.ts';
import {
  type DesignMatrix,
  designMatrix,
  type MonomialShares,
  type Sample,
  valuesAt,
} from './design-matrix.ts';
import { searchModels } from './model-search.ts';
import {
  type Estimate,
  mixtureEstimate,
  probabilityAbove,
  type StudentComponent,
} from './student-mixture.ts';
import { AS_THEY_ARE, type Widening } from './widening.ts';

/** A run that ended for lack of memory: it needed more than it had reached (a censored sample). */
export interface LowerBound {
  readonly at: readonly number[];
  readonly bytes: number;
}

/** What is known beside the samples. */
export interface PriorKnowledge {
  readonly bounds?: readonly LowerBound[];
  readonly shares?: MonomialShares;
  readonly priorScatter?: number;
}

/** An average of all models of a set of peaks that are likely enough, the likeliest first. */
export interface PeakModel {
  readonly design: DesignMatrix;
  readonly candidates: readonly (CandidateModel & { readonly weight: number })[];
  readonly widening: Widening;
}

/** Models less likely than this, against the best, are left out. */
const NEGLIGIBLE = 1e-3;

/** null where there are too few samples for any model. */
export function peakModel(
  samples: readonly Sample[],
  { bounds = [], ...prior }: PriorKnowledge = {},
): PeakModel | null {
  const design = designMatrix(samples, prior);
  const found = searchModels(design);
  const best = found[0];
  if (!best) return null;
  const weighted = found
    .map((one) => ({ ...one, weight: Math.exp((best.score - one.score) / 2) }))
    .filter(({ weight }) => weight > NEGLIGIBLE)
    .map((one) => ({ ...one, weight: one.weight * boundsLikelihood(one, design, bounds) }));
  const sum = weighted.reduce((all, { weight }) => all + weight, 0);
  const candidates = weighted
    .map((one) => ({ ...one, weight: one.weight / sum }))
    .sort((a, b) => b.weight - a.weight);
  return { design, candidates, widening: AS_THEY_ARE };
}

/** A model by which a failed run should have fitted is less likely; never impossible. */
function boundsLikelihood(
  one: CandidateModel,
  design: DesignMatrix,
  bounds: readonly LowerBound[],
): number {
  return bounds.reduce((product, { at, bytes }) => {
    const component = {
      ...predictionOf(one, valuesAt(design.basis, at), design.largestBytes),
      freedom: one.freedom,
      weight: 1,
    };
    return product * Math.max(1e-6, probabilityAbove([component], bytes));
  }, 1);
}

function componentsAt(
  { design, candidates }: PeakModel,
  at: readonly number[],
): StudentComponent[] {
  const values = valuesAt(design.basis, at);
  return candidates.map((one) => ({
    ...predictionOf(one, values, design.largestBytes),
    freedom: one.freedom,
    weight: one.weight,
  }));
}

/** `isInside`: below a size that was measured. */
export const predict = (
  model: PeakModel,
  at: readonly number[],
  { isInside = false } = {},
): Estimate =>
  mixtureEstimate(
    componentsAt(model, at),
    isInside ? model.widening.inside : model.widening.outside,
  );

/** How much of the weight lies on models in which a monomial takes part. */
export function monomialShares({ design, candidates }: PeakModel): MonomialShares {
  const byName = new Map<string, number>();
  for (const { phases, weight } of candidates) {
    const used = new Set(phases.flatMap(({ columns }) => columns.filter((column) => column > 0)));
    for (const column of used) {
      const name = design.basis[column - 1]!.join();
      byName.set(name, (byName.get(name) ?? 0) + weight);
    }
  }
  return (powers) => byName.get(powers.join()) ?? 0;
}
