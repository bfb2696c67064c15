import { type Phase, phaseBytes, phaseVariance, topPhase } from './phase.ts';
import { countPlaces, type Rows, yardstickOf } from './sample.ts';

/** One explanation of the samples: the peak is the largest of its phases. */
export interface Candidate {
  readonly phases: readonly Phase[];
  /** Lower is better: how badly it fits, and what it costs in coefficients. */
  readonly score: number;
  /** Scatter about it, in yardsticks, and the degrees of freedom by which that is known. */
  readonly scatter: number;
  readonly freedom: number;
}

/**
 * Before anything is seen, a peak is believed to repeat within 1 % (allocators round to 2 MiB and take
 * segments of 20 MiB), as firmly as two measurements would say it: few samples that lie on a line by
 * chance are thereby not called exact.
 */
const USUAL_SCATTER = 0.01;
const USUAL_WEIGHT = 2;

/** null where the samples do not bear it. */
export function candidate(phases: readonly Phase[], { oddity, rows }: Rows): Candidate | null {
  const owners = rows.map(({ values }) => topPhase(phases, values));
  for (const [i, { columns }] of phases.entries()) {
    // Through as many places as there are coefficients anything could be drawn.
    const places = countPlaces(rows.filter((_, row) => owners[row] === i));
    if (places < (columns.length === 1 ? 1 : columns.length + 1)) return null;
  }
  let misfit = USUAL_WEIGHT * USUAL_SCATTER ** 2;
  let cost = phases.length - 1;
  let odd = 0;
  for (const [row, { values, bytes, yardstick }] of rows.entries()) {
    misfit += ((phaseBytes(phases[owners[row]!]!, values) - bytes) / yardstick) ** 2;
  }
  for (const { columns } of phases) {
    cost += columns.length;
    for (const column of columns) if (column > 0) odd += oddity[column - 1]!;
  }
  const n = rows.reduce((sum, { weight }) => sum + weight, 0);
  const freedom = Math.max(1, n + USUAL_WEIGHT - cost);
  // Schwarz's criterion, with the scatter integrated out under that belief.
  const score = (n + USUAL_WEIGHT) * Math.log(misfit) + cost * Math.log(Math.max(2, n)) + odd;
  return { phases, score, scatter: Math.sqrt(misfit / freedom), freedom };
}

/** What it expects there, and by how much one more measurement would scatter about that. */
export function expectation(
  { phases, scatter }: Candidate,
  values: readonly number[],
  top: number,
) {
  const phase = phases[topPhase(phases, values)]!;
  const bytes = phaseBytes(phase, values);
  const deviation =
    scatter * Math.sqrt(yardstickOf(bytes, top) ** 2 + phaseVariance(phase, values));
  return { bytes, deviation };
}
