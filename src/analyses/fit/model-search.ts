import {
  type CandidateModel,
  candidateModel,
  type FitPhase,
  fitPhase,
  largestPhase,
} from './candidate-model.ts';
import { countPoints, type DesignMatrix, type DesignRow } from './design-matrix.ts';

/** Terms of one phase at most; with more, few samples are overfitted. */
const MOST_TERMS = 3;
/** So many of the best are extended by a further term. */
const BEAM = 6;
/** So many are kept for each part of a split, and of the splits to be split again. */
const KEPT = 2;
const MOST_ROUNDS = 4;

type Columns = readonly number[];

/** Models of the samples, the best first: one phase, the larger of two, the largest of three. */
export function searchModels(all: DesignMatrix): CandidateModel[] {
  const one = ranked(
    singlePhases(all, MOST_TERMS).map((phase) => [phase]),
    all,
  );
  const two = ranked(splits(all, all), all);
  const three = ranked(
    two.slice(0, KEPT).flatMap(({ phases }) => {
      const part = (phase: number) => ({
        ...all,
        rows: all.rows.filter(({ values }) => largestPhase(phases, values) === phase),
      });
      return phases.flatMap((_, i) => splits(part(i), all, phases.toSpliced(i, 1)));
    }),
    all,
  );
  return [...one, ...two, ...three].sort((a, b) => a.score - b.score);
}

function ranked(given: readonly (readonly FitPhase[])[], all: DesignMatrix): CandidateModel[] {
  const found = new Map<string, CandidateModel>();
  for (const phases of given) {
    const one = candidateModel(phases, all);
    // The same model is reached in many ways.
    if (one) found.set(one.score.toPrecision(9), one);
  }
  return [...found.values()].sort((a, b) => a.score - b.score);
}

/** Single phases: all of one term, and the best of them extended, term by term. */
function singlePhases(part: DesignMatrix, most: number, squares = true): FitPhase[] {
  const { basis, rows } = part;
  const points = countPoints(rows);
  const flat = fitPhase(rows, [0]);
  const all: FitPhase[] = flat ? [flat] : [];
  let heads: Columns[] = [[0]];
  for (let terms = 1; terms <= Math.min(most, points - 1) && heads.length > 0; terms++) {
    const wider = new Map<string, Columns>();
    for (const head of heads) {
      for (let column = 1; column <= basis.length; column++) {
        if (head.includes(column)) continue;
        if (!squares && basis[column - 1]!.some((power) => power > 1)) continue;
        const columns = [...head, column].sort((a, b) => a - b);
        wider.set(columns.join(), columns);
      }
    }
    const fitted = [...wider.values()].flatMap((columns) => fitPhase(rows, columns) ?? []);
    all.push(...fitted);
    heads = ranked(
      fitted.map((phase) => [phase]),
      part,
    )
      .slice(0, BEAM)
      .map(({ phases: [phase] }) => phase!.columns);
  }
  return all;
}

/** Rows split in two along every order in which phases may change, each part with phases of its own. */
function splits(
  part: DesignMatrix,
  all: DesignMatrix,
  others: readonly FitPhase[] = [],
): FitPhase[][] {
  const seen = new Set<string>();
  const tried = new Set<string>();
  const found: FitPhase[][] = [];
  for (const order of splitOrders(part)) {
    for (let low = 1; low < order.length; low++) {
      const [below, above] = [order.slice(0, low), order.slice(low)];
      const key = below
        .map((row) => part.rows.indexOf(row))
        .sort((a, b) => a - b)
        .join();
      if (seen.has(key)) continue;
      seen.add(key);
      const highs = bestPhases({ ...part, rows: above }, 2);
      if (highs.length === 0) continue;
      // What grows with a square below would be the larger again above.
      for (const a of bestPhases({ ...part, rows: below }, 1, false)) {
        for (const b of highs) {
          const stable = reassignUntilStable([a, b, ...others], all.rows, tried);
          if (stable) found.push(stable);
        }
      }
    }
  }
  return found;
}

const bestPhases = (part: DesignMatrix, most: number, squares = true): FitPhase[] =>
  ranked(
    singlePhases(part, most, squares).map((phase) => [phase]),
    part,
  )
    .slice(0, KEPT)
    .map(({ phases: [phase] }) => phase!);

/** By size of the peak, and along each parameter and their products. */
function splitOrders({ basis, rows }: DesignMatrix): DesignRow[][] {
  const plain = basis.flatMap((powers, i) => (powers.every((power) => power <= 1) ? [i + 1] : []));
  const sorted = (key: (row: DesignRow) => number) => [...rows].sort((a, b) => key(a) - key(b));
  return [
    sorted(({ bytes }) => bytes),
    ...plain.map((column) => sorted(({ values }) => values[column]!)),
  ];
}

/**
 * Each row is assigned to the phase that is largest there and the phases are fitted again, until no row
 * changes its phase; null where that has been tried before, or leaves a phase without rows.
 */
function reassignUntilStable(
  given: readonly FitPhase[],
  rows: readonly DesignRow[],
  tried: Set<string>,
): FitPhase[] | null {
  let phases = [...given];
  const own = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const owners = rows.map(({ values }) => largestPhase(phases, values));
    const key = `${phases.map(({ columns }) => columns).join(';')} ${owners}`;
    // Where two phases are equal, rounding may send a row to and fro.
    if (own.has(key)) break;
    if (tried.has(key)) return null;
    own.add(key);
    tried.add(key);
    const fitted: FitPhase[] = [];
    for (const [i, { columns }] of phases.entries()) {
      const phase = fitPhase(
        rows.filter((_, row) => owners[row] === i),
        columns,
      );
      if (!phase) return null;
      fitted.push(phase);
    }
    phases = fitted;
  }
  return phases;
}
