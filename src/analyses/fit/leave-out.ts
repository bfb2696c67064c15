import { group as groupBy } from 'd3-array';
import {
  type CandidateModel,
  candidateScore,
  type FitPhase,
  largestPhase,
  phaseBytes,
  predictionScale,
} from './candidate-model.ts';
import type { DesignMatrix, DesignRow } from './design-matrix.ts';
import { invertSymmetric } from './least-squares.ts';
import type { PeakModel } from './peak-model.ts';
import { mixtureEstimate, type StudentComponent } from './student-mixture.ts';
import type { Miss } from './widening.ts';

/**
 * Every size told by the others, without fitting anew: the residual of a row that is left out is its
 * residual divided by what it does not itself determine. The search for models is not repeated, so
 * what was found with the row at hand is a little too good; calibration allows for that.
 */
export function leaveEachOut(model: PeakModel): Miss[] {
  const { design, candidates } = model;
  const groups = groupBy(design.rows, ({ cluster }) => cluster);
  const total = design.rows.reduce((sum, { weight }) => sum + weight, 0);
  return [...groups.values()].flatMap((group) => {
    const without = candidates.flatMap((one) => withoutRows(one, design, group, total) ?? []);
    if (without.length === 0) return [];
    const best = Math.min(...without.map(({ score }) => score));
    return group.map((row, i): Miss => {
      const components = without.map(({ score, told }) => ({
        ...told[i]!,
        weight: Math.exp((best - score) / 2),
      }));
      const { bytes, lowBytes, highBytes } = mixtureEstimate(components);
      const half = row.bytes > bytes ? highBytes - bytes : bytes - lowBytes;
      return { size: Math.abs(row.bytes - bytes) / half, weight: row.weight };
    });
  });
}

/** What one model says of some rows when it has not seen them; null where it cannot do without. */
function withoutRows(
  one: CandidateModel,
  design: DesignMatrix,
  group: readonly DesignRow[],
  total: number,
): { score: number; told: Omit<StudentComponent, 'weight'>[] } | null {
  const owners = group.map(({ values }) => largestPhase(one.phases, values));
  const told = new Array<{ bytes: number; variance: number }>(group.length);
  let explained = 0;
  for (const [p, phase] of one.phases.entries()) {
    const own = [...group.keys()].filter((i) => owners[i] === p);
    if (own.length === 0) continue;
    const rows = own.map((i) => group[i]!);
    const inverse = invertSymmetric(
      rows.map((a, i) =>
        rows.slice(0, i + 1).map((b) => (a === b ? 1 : 0) - leverage(phase, a, b)),
      ),
    );
    if (!inverse) return null;
    const residuals = rows.map(
      ({ values, bytes, errorScale }) => (bytes - phaseBytes(phase, values)) / errorScale,
    );
    for (const [k, i] of own.entries()) {
      const { bytes, errorScale } = rows[k]!;
      const missed = inverse[k]!.reduce((sum, cell, j) => sum + cell * residuals[j]!, 0);
      explained += residuals[k]! * missed;
      told[i] = {
        bytes: bytes - missed * errorScale,
        variance: (inverse[k]![k]! - 1) * errorScale ** 2,
      };
    }
  }
  const weight = total - group.reduce((sum, row) => sum + row.weight, 0);
  const { score, scatter, freedom } = candidateScore(
    one,
    Math.max(0, one.misfit - explained),
    weight,
  );
  return {
    score,
    told: told.map(({ bytes, variance }) => ({
      bytes,
      scale: predictionScale(scatter, bytes, variance, design.largestBytes),
      freedom,
    })),
  };
}

/** How much row b moves the curve at row a. */
function leverage({ columns, covariance }: FitPhase, a: DesignRow, b: DesignRow): number {
  let sum = 0;
  for (const [i, left] of columns.entries()) {
    for (const [j, right] of columns.entries()) {
      sum += a.values[left]! * covariance[i]![j]! * b.values[right]!;
    }
  }
  return sum / (a.errorScale * b.errorScale);
}
