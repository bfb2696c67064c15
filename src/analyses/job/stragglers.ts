import type { Distribution } from '../../base/distribution.ts';
import type { Member } from './member.ts';

/** A rank whose iterations take clearly longer than those of the others. */
export interface Straggler {
  readonly rank: number | null;
  readonly node: string;
  readonly secondsPerIteration: number;
  readonly iterations: number;
}

/** How fast ranks went; null: no rank told of at least three iterations. */
export interface JobPace {
  readonly ranks: number;
  /** Of one iteration. */
  readonly fastestSeconds: number;
  readonly medianSeconds: number;
  readonly slowestSeconds: number;
  readonly fewestIterations: number;
  readonly mostIterations: number;
  readonly stragglers: readonly Straggler[];
}

/** Slower than the median by this share, and further from it than ranks usually are. */
const CLEARLY = 0.1;
const FAR = 3.5 * 1.4826;
const FEW = 5;
const MOST = 16;

export const paceSeconds = ({ summary }: Member): number =>
  summary.iterations?.medianSeconds ?? Number.NaN;

export function jobPace(
  pace: Distribution,
  iterations: { readonly fewest: number; readonly most: number },
  slowest: readonly Member[],
): JobPace | null {
  if (pace.count === 0) return null;
  const { median, deviation } = pace;
  const isSlow = (seconds: number) =>
    seconds > median * (1 + CLEARLY) && (pace.count < FEW || seconds - median > FAR * deviation);
  return {
    ranks: pace.count,
    fastestSeconds: pace.min,
    medianSeconds: median,
    slowestSeconds: pace.max,
    fewestIterations: iterations.fewest,
    mostIterations: iterations.most,
    stragglers:
      pace.count < 2
        ? []
        : slowest
            .filter((one) => isSlow(paceSeconds(one)))
            .slice(0, MOST)
            .map((one) => ({
              rank: one.rank,
              node: one.node,
              secondsPerIteration: paceSeconds(one),
              iterations: one.summary.iterations!.count,
            })),
  };
}
