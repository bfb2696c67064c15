import { lastUpTo } from '../../../base/search.ts';
import { SECOND_NS } from '../../../base/time.ts';
import type { Iterations } from '../../../model/iterations.ts';
import type { Series } from '../../../model/series.ts';
import { FEWEST_BLOCKS, theilSenSlope } from '../block-trend.ts';
import type { Trend } from '../trend.ts';
import { type TrendValues, trendEvidence } from '../trend-evidence.ts';
import { atIterations, overTime } from '../trend-values.ts';
import type { WorkloadSpan } from '../workload-span.ts';

/** Growth per iteration or per second, whichever the leak itself is measured in. */
export interface GrowthRate {
  readonly per: 'iteration' | 'second';
  /** By a robust line through many readings; null where there are too few. */
  slope(series: Series): number | null;
  /** Between the first of a few readings and the highest; null where there are not two. */
  rise(series: Series): number | null;
  /** Of an amount gained between two moments. */
  of(amount: number, fromNs: number, toNs: number): number | null;
}

/**
 * A line through fewer says nothing. Counters are exact, so that few do; an agent reads one that is expensive at a few
 * iterations only.
 */
const FEWEST_READINGS = 6;

export function growthRate(
  over: Trend['over'],
  iterations: Iterations,
  span: WorkloadSpan,
): GrowthRate {
  const position = (ns: number) =>
    over === 'time' ? (ns - span.startNs) / SECOND_NS : numberAt(iterations, ns);
  const of = (amount: number, fromNs: number, toNs: number) => {
    const steps = position(toNs) - position(fromNs);
    return steps > 0 ? amount / steps : null;
  };
  return {
    per: over === 'time' ? 'second' : 'iteration',
    of,
    slope(series) {
      const values =
        over === 'time' ? overTime(series, span) : duringIterations(series, iterations);
      if (values.y.length < FEWEST_READINGS) return null;
      // Blocks, whose smallest values leave out what comes and goes, need two readings each.
      const few = values.y.length < 2 * FEWEST_BLOCKS;
      const slope = few ? theilSenSlope(values) : trendEvidence(values).slope;
      return Number.isFinite(slope) ? slope : null;
    },
    rise({ times, values }) {
      let top = 0;
      for (const [row, value] of values.entries()) if (value > values[top]!) top = row;
      if (values.length < 2) return null;
      return top === 0 ? 0 : of(values[top]! - values[0]!, times[0]!, times[top]!);
    },
  };
}

/** Agents speak before the first iteration too: of that an iteration's rate says nothing. */
function duringIterations({ name, times, values }: Series, iterations: Iterations): TrendValues {
  const from = times.findIndex((time) => time >= iterations.times[0]!);
  const to = lastUpTo(times, iterations.times.at(-1)!) + 1;
  const [first, last] = from < 0 ? [0, 0] : [from, Math.max(from, to)];
  const during = { name, times: times.subarray(first, last), values: values.subarray(first, last) };
  return atIterations(during, iterations);
}

/** The number of the last iteration up to a moment. */
function numberAt({ times, numbers }: Iterations, ns: number): number {
  return numbers[Math.max(0, lastUpTo(times, ns))] ?? 0;
}
