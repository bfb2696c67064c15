import { lastUpTo } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import type { Series } from '../../model/series.ts';
import { type BoundedValues, singleValues } from './bounded-values.ts';
import { type Judged, thoseThatStay } from './come-and-go.ts';
import { judgedSeries } from './judged-series.ts';
import { freeByProcess, looksByProcess } from './kept-free.ts';
import { type ProcessLife, processLives } from './process-lives.ts';
import { secondHalf } from './slope-bound.ts';
import { stretches } from './stretches.ts';
import type { Trend } from './trend.ts';
import { mostGrowth } from './trend-evidence.ts';
import { ESTIMATE_SHARE, LEAST_MARGIN } from './trend-rules.ts';
import { iterationsOf } from './trend-values.ts';
import type { WorkloadSpan } from './workload-span.ts';

/**
 * A process keeps what its program gave back, and takes it up again: that is most of the noise of its size. Its agent
 * tells how much malloc keeps free. What is held less that is in use, and hardly moves in a program that does the same
 * over and over. Where a trend cannot be told from noise, but all that is in use does not grow, there is no leak. Of
 * several processes those that stay are looked at, each by itself: others come and go, and take with them what they had.
 */
export function unlessInUseIsFlat(
  trend: Trend,
  all: readonly Trend[],
  recording: Recording,
  { zeroNs }: WorkloadSpan,
): Trend {
  const { verdict, rule, bound, line, growthBytes, floorBytes } = trend;
  if (verdict !== 'inconclusive' || rule !== 'not shown' || !bound || !line) return trend;
  const negligible = LEAST_MARGIN * floorBytes;
  const judged = {
    fromNs: zeroNs + line.fromSeconds * SECOND_NS,
    toNs: zeroNs + line.toSeconds * SECOND_NS,
    negligible,
  };
  const lives = processLives(recording);
  const staying = thoseThatStay(lives, judged);
  if (!staying || staying.length === 0) return trend;
  const free = freeByProcess(recording);
  const looks = looksByProcess(recording);
  const told = staying.filter(({ pid }) => free.has(pid));
  if (told.length === 0 && lives.length === 1) return trend;
  const inUseOf = (held: Series, { pid }: ProcessLife) =>
    inUse(held, free.get(pid)!, looks.get(pid) ?? [], judged);
  const little = growthBytes < ESTIMATE_SHARE * floorBytes || bound.growthBytes < floorBytes;
  const known =
    staying.length === 1
      ? little
      : sharing(trend, all).every((whole) => {
          const enough = SHARED_MARGIN * whole.floorBytes;
          if (whole.bound && whole.bound.growthBytes < enough) return true;
          const pages = judgedSeries(recording, iterationsOf(recording)).find(
            ({ series }) => series.name === whole.series,
          )!.series;
          return told.some((life) => boundOver(inUseOf(pages, life), judged, judged) < enough);
        });
  if (!known) return trend;
  const most = staying.reduce(
    (sum, life) => {
      const used = told.includes(life) ? inUseOf(life.held, life) : allHeld(life.held, judged);
      return sum + boundOver(used, life, judged);
    },
    sharedBound(recording, judged),
  );
  if (!(most < negligible)) return trend;
  return { ...trend, verdict: 'bounded', ...(told.length > 0 ? IN_USE : THOSE_THAT_STAY) };
}

const IN_USE = {
  rule: 'in use',
  because: 'memory comes and goes, but what malloc and Python have in use does not grow',
};

const THOSE_THAT_STAY = {
  rule: 'those that stay',
  because: 'processes come and go, and those that stay do not grow',
};

const SHARED_MARGIN = 0.5;

/**
 * Processes that copy what they share do not grow themselves: then what counts each page once must be known well, their
 * control group or, without one, PSS; all of it, or less what malloc keeps free in one of them.
 */
function sharing(trend: Trend, all: readonly Trend[]): Trend[] {
  if (trend.measure !== 'tree-held') return [trend];
  const pss = all.find(({ measure, role }) => measure === 'PSS' && role === null);
  return pss ? [trend, pss] : [trend];
}

/** What was sampled longer ago than this says nothing of the moment at which the agent looked. */
const SAME_MOMENT_NS = 0.25 * SECOND_NS;

interface InUse {
  /** `x`: seconds since the judged time began. */
  readonly values: BoundedValues;
  /** So much of the time was left out. */
  readonly skipped: number;
}

/** What is not told to be free may be in use. */
const allHeld = (held: Series, { fromNs, toNs }: Judged): InUse => {
  return { values: stretches(held, fromNs, toNs), skipped: 0 };
};

/**
 * A look through all objects leaves some memory of ours in the process, and sets some of its own free: what changed
 * from the reading before a look to the one after it is left out.
 */
function inUse(held: Series, free: Series, looks: readonly number[], judged: Judged): InUse {
  const times: number[] = [];
  const values: number[] = [];
  let [shift, skippedNs] = [0, 0];
  for (const [i, time] of free.times.entries()) {
    const row = lastUpTo(held.times, time);
    if (time < judged.fromNs || time > judged.toNs) continue;
    if (row < 0 || held.times[row]! < time - SAME_MOMENT_NS) continue;
    const value = held.values[row]! - free.values[i]!;
    const before = times.at(-1);
    if (before !== undefined && looks.some((look) => look >= before && look < time)) {
      shift = values.at(-1)! - value;
      skippedNs += time - before;
    }
    times.push(time);
    values.push(value + shift);
  }
  const x = Float64Array.from(times, (ns) => (ns - judged.fromNs) / SECOND_NS);
  const y = Float64Array.from(values);
  return { values: singleValues(x, y), skipped: skippedNs / SECOND_NS };
}

/** Readings that cover less of the time, or stop before its last part, say nothing of the whole. */
const COVERED = 0.5;
const LAST_PART = 0.25;

/** It grows by no more than this in that time, were it there for all of it; by all values or, as what leaks goes on, by the second half. */
function boundOver(
  { values, skipped }: InUse,
  life: Pick<Judged, 'fromNs' | 'toNs'>,
  { fromNs, toNs }: Judged,
): number {
  const [first, last] = [values.x[0], values.x.at(-1)];
  if (first === undefined || last === undefined) return Number.POSITIVE_INFINITY;
  const seconds = (ns: number) => (Math.min(Math.max(ns, fromNs), toNs) - fromNs) / SECOND_NS;
  const [whole, end] = [seconds(toNs), seconds(life.toNs)];
  const lived = end - seconds(life.fromNs);
  const length = last - first - skipped;
  const known = length > COVERED * lived && last > end - LAST_PART * lived;
  if (!known) return Number.POSITIVE_INFINITY;
  return (Math.min(mostGrowth(values), 2 * mostGrowth(secondHalf(values))) * whole) / length;
}

/** Files in /dev/shm need no process that maps them; where the workload has a control group of its own, that knows all of them. */
function sharedBound(recording: Recording, judged: Judged): number {
  const group = recording.table('cgroup');
  const [times, shmem] = [group.f64('time'), group.f64('shmem')];
  const rows = [...times.keys()].filter((row) => !Number.isNaN(shmem[row]!));
  if (!recording.run.cgroup?.own || rows.length === 0) return 0;
  const pick = (all: Float64Array) => Float64Array.from(rows, (row) => all[row]!);
  const series = { name: '', times: pick(times), values: pick(shmem) };
  return boundOver(allHeld(series, judged), judged, judged);
}
