import { lastUpTo } from '../../../base/search.ts';
import { SECOND_NS } from '../../../base/time.ts';
import type { Iterations } from '../../../model/iterations.ts';
import type { Series } from '../../../model/series.ts';
import type { Trend } from '../trend.ts';
import { trendEvidence } from '../trend-evidence.ts';
import { trendValues } from '../trend-values.ts';
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

/** A line through fewer says nothing. */
const FEWEST_READINGS = 12;

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
      // Agents speak before the first iteration too: of that an iteration's rate says nothing.
      const judged = over === 'iterations' ? duringIterations(series, iterations) : series;
      if (judged.values.length < FEWEST_READINGS) return null;
      const values = trendValues(judged, iterations, span);
      if (values.over !== over || values.y.length < FEWEST_READINGS) return null;
      const { slope } = trendEvidence(values);
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

function duringIterations({ name, times, values }: Series, iterations: Iterations): Series {
  const from = times.findIndex((time) => time >= iterations.times[0]!);
  const to = lastUpTo(times, iterations.times.at(-1)!) + 1;
  const [first, last] = from < 0 ? [0, 0] : [from, Math.max(from, to)];
  return { name, times: times.subarray(first, last), values: values.subarray(first, last) };
}

/** The number of the last iteration up to a moment. */
function numberAt({ times, numbers }: Iterations, ns: number): number {
  return numbers[Math.max(0, lastUpTo(times, ns))] ?? 0;
}
