import type { FitMeasures, FitRun } from './question.ts';
import type { Estimate } from './student-mixture.ts';

/** Figures each of which is contained in the next: requested ≤ allocated ≤ reserved ≤ device. */
export const chainOf = ({ chain, live, held }: FitMeasures): readonly string[] =>
  chain ?? [...(live === null ? [] : [live]), held];

/** Less than this below is rounding, or two readings that were not taken at one moment. */
const ROUNDING = 0.001;

/** Without figures that are below one which they contain: that cannot be, so its peak was not seen. */
export function possibleFigures(
  runs: readonly FitRun[],
  measures: FitMeasures,
): { readonly runs: readonly FitRun[]; readonly notes: readonly string[] } {
  const counts = new Map<string, number>();
  const possible = runs.map((run) => {
    let [inner, most] = ['', 0];
    const figures = { ...run.figures };
    for (const figure of chainOf(measures)) {
      const bytes = figures[figure];
      if (bytes === undefined) continue;
      if (bytes >= most * (1 - ROUNDING)) [inner, most] = [figure, Math.max(most, bytes)];
      else {
        delete figures[figure];
        const what = `${figure} is below ${inner}`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
      }
    }
    return { ...run, figures };
  });
  const notes = [...counts].map(
    ([what, times]) =>
      `${what} in ${times === 1 ? 'one run' : `${times} runs`}, which cannot be: left out there`,
  );
  return { runs: possible, notes };
}

/**
 * The same estimates in order: low, middle and high end each rise along the chain. Where two are the
 * wrong way round they meet between, nearer to the one that is better known.
 */
export function inOrder(estimates: readonly Estimate[]): Estimate[] {
  const weights = estimates.map(
    ({ bytes, lowBytes, highBytes }) =>
      1 / (highBytes - lowBytes + SMALLEST_WIDTH * bytes + 1) ** 2,
  );
  const ends = (['bytes', 'lowBytes', 'highBytes'] as const).map((end) =>
    isotonic(
      estimates.map((estimate) => estimate[end]),
      weights,
    ),
  );
  return estimates.map((_, i) => ({
    bytes: ends[0]![i]!,
    lowBytes: ends[1]![i]!,
    highBytes: ends[2]![i]!,
  }));
}

/** No figure is known so well that it would count for all. */
const SMALLEST_WIDTH = 0.002;

/** The nearest values that never fall, by pooling neighbours that do. */
function isotonic(values: readonly number[], weights: readonly number[]): number[] {
  const pools: { value: number; weight: number; count: number }[] = [];
  for (const [i, value] of values.entries()) {
    pools.push({ value, weight: weights[i]!, count: 1 });
    while (pools.length > 1 && pools.at(-2)!.value > pools.at(-1)!.value) {
      const [b, a] = [pools.pop()!, pools.pop()!];
      const weight = a.weight + b.weight;
      const mean = (a.value * a.weight + b.value * b.weight) / weight;
      pools.push({ value: mean, weight, count: a.count + b.count });
    }
  }
  return pools.flatMap(({ value, count }) => new Array<number>(count).fill(value));
}
