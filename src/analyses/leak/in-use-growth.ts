import { firstFrom, lastUpTo } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { judgedValues } from './judged-values.ts';
import { freeByProcess, looksByProcess } from './kept-free.ts';
import { unlessOurs } from './own-growth.ts';
import { processLives } from './process-lives.ts';
import type { Trend } from './trend.ts';
import { boundOf } from './trend-bound.ts';
import { judgeTrend } from './trend-rules.ts';
import { iterationsOf, trendValues } from './trend-values.ts';
import type { WorkloadSpan } from './workload-span.ts';

/**
 * What leaks fills what malloc keeps free first: until that is full the process does not grow, or grows by less than is leaked. Its
 * agent tells how much malloc keeps free. What is held less that is in use: where it grows steadily with the iterations,
 * it leaks, whatever the process as a whole does. Of one process only: of several, one takes up what another gives back.
 */
export function unlessInUseGrows(trend: Trend, recording: Recording, span: WorkloadSpan): Trend {
  if (!BY_SIZE_ALONE.has(trend.rule) || trend.over !== 'iterations' || !trend.line) return trend;
  const leaks = trend.verdict === 'leak';
  const lives = processLives(recording);
  const [life] = lives;
  const free = life && lives.length === 1 ? freeByProcess(recording).get(life.pid) : undefined;
  if (!life || !free) return trend;
  const looks = looksByProcess(recording).get(life.pid) ?? [];
  const from = span.zeroNs + trend.line.fromSeconds * SECOND_NS;
  const to = span.zeroNs + trend.line.toSeconds * SECOND_NS;
  const inUse = lessKeptFree(life.held, free, looks, from, to);
  if (inUse.coveredNs < COVERED * (to - from)) return trend;
  const { values, evidence, rhythm } = judgedValues(
    trendValues(inUse.series, iterationsOf(recording), span),
  );
  if (evidence.over !== 'iterations') return trend;
  const decision = judgeTrend(evidence);
  const shown = unlessOurs(recording, trend, { fromNs: from, toNs: to }, evidence, decision);
  if (shown.verdict !== 'leak') return leaks ? trend : withBound(trend, boundOf(values, evidence));
  if (leaks && !(evidence.slopeLow > trend.slope.bytes)) return trend;
  const rise = evidence.growth;
  const middle = (evidence.firstLevel + evidence.lastLevel) / 2;
  const seconds = trend.line.toSeconds - trend.line.fromSeconds;
  return {
    ...trend,
    verdict: 'leak',
    rule: 'in use grows',
    because: leaks
      ? 'what is in use grows steadily, and faster than the process, into memory that malloc had kept free'
      : 'what is in use grows steadily, into memory that malloc had kept free',
    rhythm,
    values: evidence.judged,
    slope: { bytes: evidence.slope, low: evidence.slopeLow, high: evidence.slopeHigh },
    bound: boundOf(values, evidence),
    perHourBytes: (rise / seconds) * 3600,
    growthBytes: evidence.growth,
    floorBytes: evidence.floor,
    line: { ...trend.line, fromBytes: middle - rise / 2, toBytes: middle + rise / 2 },
  };
}

/** What is in use may have grown by more than the process: then it is that which bounds a leak. */
function withBound(trend: Trend, bound: Trend['bound']): Trend {
  const isHigher = trend.verdict === 'inconclusive' && bound && trend.bound;
  return isHigher && bound.most > trend.bound.most ? { ...trend, bound } : trend;
}

/** Verdicts by how large the process was at each iteration, and nothing else. */
const BY_SIZE_ALONE: ReadonlySet<string> = new Set([
  'steady growth',
  'flat at the end',
  'no growth',
  'settled',
  'not shown',
]);

/** Readings that cover less of the judged time say nothing of the whole. */
const COVERED = 0.7;
/** Between two readings so far apart too much may have come and gone. */
const FAR_APART_NS = 5 * SECOND_NS;

interface InUse {
  readonly series: Series;
  readonly coveredNs: number;
}

/**
 * At each sample of a process, less what malloc kept free then: between two readings of that, by a straight line. A look through
 * all objects leaves memory of ours in the process: what changed from the reading before a look to the one after it is left out.
 */
function lessKeptFree(
  held: Series,
  free: Series,
  looks: readonly number[],
  fromNs: number,
  toNs: number,
): InUse {
  const times: number[] = [];
  const values: number[] = [];
  let [shift, coveredNs, known] = [0, 0, false];
  for (let i = 0; i + 1 < free.times.length; i++) {
    const [begin, end] = [free.times[i]!, free.times[i + 1]!];
    const [first, last] = [firstFrom(held.times, begin), lastUpTo(held.times, end)];
    const looked = looks.some((look) => look >= begin && look < end);
    const within = begin >= fromNs && end <= toNs && end - begin <= FAR_APART_NS;
    if (!within || looked || first > last) {
      known = false;
      continue;
    }
    const [was, is] = [free.values[i]!, free.values[i + 1]!];
    const valueAt = (row: number) =>
      held.values[row]! - was - ((is - was) * (held.times[row]! - begin)) / (end - begin);
    if (!known && values.length > 0) shift = values.at(-1)! - valueAt(first);
    for (let row = first; row <= last; row++) {
      times.push(held.times[row]!);
      values.push(valueAt(row) + shift);
    }
    coveredNs += end - begin;
    known = true;
  }
  const series = {
    name: held.name,
    times: Float64Array.from(times),
    values: Float64Array.from(values),
  };
  return { series, coveredNs };
}
