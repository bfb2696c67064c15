import type { Trend } from './trend.ts';
import { enoughValues } from './trend-rules.ts';

/** What a run shows at the very least: that whatever leaks, leaks no faster. One of the two rates, as the run was judged. */
export interface LeakBound {
  readonly bytesPerIteration?: number;
  readonly bytesPerHour?: number;
  readonly confidence: number;
  /** The series that bounds it, the quietest of those that see all that can leak. */
  readonly series: string;
  /** Over the judged part of the run, and the smallest growth that counts there. */
  readonly growthBytes: number;
  readonly floorBytes: number;
  /** What a run of so many times this length would tell. */
  readonly longer: {
    readonly times: number;
    readonly bytesPerIteration?: number;
    readonly bytesPerHour?: number;
  };
}

/** null: too few values for any bound. */
export function leakBound(headline: Trend | null, all: readonly Trend[]): LeakBound | null {
  const bounding = headline && quietest(headline, all);
  const { bound } = bounding ?? {};
  if (!bounding || !bound) return null;
  const rate = (bytes: number) =>
    bounding.over === 'iterations' ? { bytesPerIteration: bytes } : { bytesPerHour: bytes * 3600 };
  // A slope's error falls with the length to the power of 1.5, what pages let see with the length alone.
  const error = Math.max(bound.error / TIMES ** 1.5, bound.resolution / TIMES);
  // What leaks, leaks no faster than its own interval says: half of the run may be closer by chance.
  const most = bounding.verdict === 'leak' ? Math.max(bound.most, bounding.slope.high) : bound.most;
  return {
    ...rate(most),
    confidence: bound.confidence,
    series: bounding.series,
    growthBytes: (bound.growthBytes / bound.most) * most,
    floorBytes: bounding.floorBytes,
    longer: { times: TIMES, ...rate(error) },
  };
}

const TIMES = 4;

/**
 * Of a leak, its own trend. Else the series that is known best among those that see everything: the workload's control
 * group, its processes where there is one of them only, PSS where there are several that may share pages.
 */
function quietest(headline: Trend, all: readonly Trend[]): Trend | null {
  if (headline.verdict === 'leak') return headline;
  const whole = (measure: Trend['measure']) =>
    all.find(
      (trend) => trend.role === null && trend.measure === measure && trend.over === headline.over,
    );
  const group = whole('cgroup-held');
  const tree = whole('tree-held');
  const seesAll = [
    headline,
    group && enoughValues(group) ? group : undefined,
    tree && (tree.members === 1 || !(group || whole('PSS'))) ? tree : undefined,
  ];
  return seesAll
    .filter((trend) => trend?.bound)
    .reduce<Trend | null>((a, b) => (!a || b!.bound!.error < a.bound!.error ? b! : a), null);
}
