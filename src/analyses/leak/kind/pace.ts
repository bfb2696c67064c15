import { lastUpTo } from '../../../base/search.ts';
import { SECOND_NS } from '../../../base/time.ts';
import type { Iterations } from '../../../model/iterations.ts';
import type { Series } from '../../../model/series.ts';
import { evidence } from '../evidence.ts';
import type { Span } from '../span.ts';
import type { Trend } from '../trend.ts';
import { valuesOf } from '../values.ts';

/** How fast things grew, by the measure that the leak itself is told in. */
export interface Pace {
  readonly per: 'iteration' | 'second';
  /** By a robust line through many readings; null where there are too few. */
  slope(series: Series): number | null;
  /** Between the first of a few readings and the highest; null where there are not two. */
  rise(series: Series): number | null;
  /** For an amount gained in a stretch of time. */
  of(amount: number, fromNs: number, toNs: number): number | null;
}

/** A line through fewer says nothing. */
const FEWEST = 12;

export function paceOf(over: Trend['over'], iterations: Iterations, span: Span): Pace {
  const place = (ns: number) =>
    over === 'time' ? (ns - span.startNs) / SECOND_NS : numberAt(iterations, ns);
  const of = (amount: number, fromNs: number, toNs: number) => {
    const steps = place(toNs) - place(fromNs);
    return steps > 0 ? amount / steps : null;
  };
  return {
    per: over === 'time' ? 'second' : 'iteration',
    of,
    slope(series) {
      if (series.values.length < FEWEST) return null;
      const values = valuesOf(series, iterations, span);
      if (values.over !== over || values.y.length < FEWEST) return null;
      const { slope } = evidence(values);
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

/** The number of the last iteration up to a moment. */
function numberAt({ times, numbers }: Iterations, ns: number): number {
  return numbers[Math.max(0, lastUpTo(times, ns))] ?? 0;
}
