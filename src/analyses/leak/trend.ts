import type { NumberOrNaN } from '../../base/stats.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Iterations } from '../../model/iterations.ts';
import type { Recording } from '../../model/recording.ts';
import { series } from '../../model/series.ts';
import { type Exhaustion, exhaustion } from './exhaustion.ts';
import { intakeOf } from './intake.ts';
import { type JudgedSeries, judgedSeries, OF_PROCESSES } from './judged-series.ts';
import { type JudgedValues, judgedValues } from './judged-values.ts';
import { loadingOf, unlessFilling } from './loading.ts';
import { unlessOurs } from './own-growth.ts';
import { atOwnPace } from './own-pace.ts';
import { boundOf, type TrendBound } from './trend-bound.ts';
import { type TrendEvidence, trendEvidence } from './trend-evidence.ts';
import { judgeTrend, type LeakVerdict, type TrendDecision } from './trend-rules.ts';
import { iterationsOf, overTime, type ToldIterations, trendValues } from './trend-values.ts';
import { unlessGarbage } from './uncollected.ts';
import { atLeastInV8, unlessV8Fills, v8Rise } from './v8-room.ts';
import type { WorkloadSpan } from './workload-span.ts';

/** How one series moved while the workload ran. */
export interface Trend {
  readonly verdict: LeakVerdict;
  /** The rule that decided, and why in plain words. */
  readonly rule: string;
  readonly because: string;
  readonly series: string;
  readonly measure: JudgedSeries['measure'];
  readonly role: string | null;
  readonly members: number | null;
  readonly over: 'iterations' | 'time';
  /** What comes and goes every so many iterations or seconds was left out; null: there was no need, or no rhythm. */
  readonly rhythm: number | null;
  /** How many values were judged, the warm-up left out. */
  readonly values: number;
  /** How many iterations passed meanwhile: more than values where not each was marked; null over time. */
  readonly iterations: number | null;
  /** Bytes for each iteration, or each second where there are none, with a 95 % interval; of few values, none. */
  readonly slope: {
    readonly bytes: NumberOrNaN;
    readonly low: NumberOrNaN;
    readonly high: NumberOrNaN;
  };
  /** How fast it can grow at most, of few values too; null of hardly any. */
  readonly bound: TrendBound | null;
  readonly perHourBytes: number | null;
  /** Where the log tells epochs. */
  readonly perEpochBytes: number | null;
  /** Over the judged values, and the smallest growth that counts. */
  readonly growthBytes: NumberOrNaN;
  readonly floorBytes: NumberOrNaN;
  /** Until the memory is full at this rate; null where it does not leak. */
  readonly exhaustionSeconds: number | null;
  readonly exhausts: Exhaustion['of'] | null;
  /** The trend as a line, for charts. */
  readonly line: {
    readonly fromSeconds: number;
    readonly fromBytes: number;
    readonly toSeconds: number;
    readonly toBytes: number;
  } | null;
}

export function trends(recording: Recording, span: WorkloadSpan): Trend[] {
  const iterations = iterationsOf(recording);
  const valued = judgedSeries(recording, iterations).map((judged) => {
    return { judged, values: trendValues(judged.series, iterations, span) };
  });
  const ownPace = atOwnPace(recording, iterations, valued);
  const all = valued.map((one): SeriesEvidence => {
    const values = ownPace(one) ? overTime(one.judged.series, span) : one.values;
    return { judged: one.judged, ...judgedValues(values) };
  });
  const growthOf = (name: string) => {
    const found = series(recording, name);
    return found ? trendEvidence(trendValues(found, iterations, span)).growth : Number.NaN;
  };
  return all.map((one) => {
    const parts = { held: grown('tree-held', one, all), file: grown('file', one, all) };
    const how = {
      copies: copiesShared(one, all),
      inFiles: () => growsInFiles(one, parts, growthOf),
    };
    return trend(recording, one, how, iterations, span);
  });
}

interface SeriesEvidence extends JudgedValues {
  readonly judged: JudgedSeries;
}

/** Pages that stop being shared make PSS and the group grow while no process does; what is loaded makes all grow. */
function copiesShared(one: SeriesEvidence, all: readonly SeriesEvidence[]): boolean {
  const own = OF_EACH[one.judged.measure];
  return own !== undefined && grown(own, one, all) <= RESIDENT_SHARE * one.evidence.growth;
}

/** What counts each page once, and the measure by which each process is counted in full. */
const OF_EACH: Readonly<Partial<Record<JudgedSeries['measure'], JudgedSeries['measure']>>> = {
  PSS: 'RSS',
  'cgroup-held': 'tree-held',
};

const RESIDENT_SHARE = 0.25;

/** By how much the same processes grew by another measure; NaN where it was not judged. */
const grown = (
  measure: JudgedSeries['measure'],
  { judged: { role } }: SeriesEvidence,
  all: readonly SeriesEvidence[],
): number =>
  all.find(({ judged }) => judged.measure === measure && judged.role === role)?.evidence.growth ??
  Number.NaN;

/** PSS and RSS take in pages of mapped files, which the kernel takes back when it needs them: is it those that grow? */
function growsInFiles(
  { judged, evidence }: SeriesEvidence,
  parts: { readonly held: number; readonly file: number },
  growthOf: (name: string) => number,
): boolean {
  if (judged.measure === 'file') return true;
  if (judged.measure !== 'PSS' && judged.measure !== 'RSS') return false;
  // Where the number of processes changes all the time, the sums over all of them are all there is.
  const whole = judged.role === null && Number.isNaN(parts.held);
  const held = whole ? growthOf('tree.held') : parts.held;
  const file = whole ? growthOf('tree.file') : parts.file;
  return file > evidence.growth / 2 && !(held > evidence.growth / 2);
}

function trend(
  recording: Recording,
  { judged, values, evidence, rhythm }: SeriesEvidence,
  { copies, inFiles }: { readonly copies: boolean; readonly inFiles: () => boolean },
  marks: ToldIterations,
  span: WorkloadSpan,
): Trend {
  const range = judgedRange(values.x, evidence, marks, span);
  const at = { fromNs: nsAt(span, range?.fromSeconds), toNs: nsAt(span, range?.toSeconds) };
  const intake = copies ? null : intakeOf(recording, judged, at);
  const told = { copies, counted: marks.counted, ended: span.endKnown };
  const half = { fromNs: (at.fromNs + at.toNs) / 2, toNs: at.toNs };
  const late = intake && intakeOf(recording, judged, half);
  const loading = loadingOf({ intake, late }, evidence, told);
  const seconds = range ? range.toSeconds - range.fromSeconds : 0;
  const judgement = judgeTrend(evidence, { loading, seconds });
  const made = unlessEstimated(recording, judged, judgement);
  const grew = made.verdict === 'leak' && inFiles() ? IN_FILES : made;
  const decision = unlessFilling(recording, intake, at, evidence, grew);
  const shown = unlessOurs(recording, judged, at, evidence, decision);
  const collected = range
    ? unlessGarbage(
        recording,
        judged,
        { ...range, growth: evidence.growth, zeroNs: span.zeroNs },
        shown,
      )
    : shown;
  const whole = judged.role === null && OF_PROCESSES.has(judged.measure);
  const v8 = whole && range ? v8Rise(recording, at.fromNs, at.toNs) : null;
  const { verdict, rule, because } = unlessV8Fills(collected, v8, evidence.floor);
  const rise = range ? evidence.slope * range.length : 0;
  const perSecond = seconds > 0 ? rise / seconds : Number.NaN;
  const end = { lastNs: at.toNs, endNs: span.endNs };
  const bound = boundOf(values, evidence);
  const full = verdict === 'leak' && range ? exhaustion(recording, judged, end, perSecond) : null;
  return {
    verdict,
    rule,
    because,
    series: judged.series.name,
    measure: judged.measure,
    role: judged.role,
    members: judged.members,
    over: evidence.over,
    rhythm,
    values: evidence.judged,
    iterations: evidence.over === 'iterations' && range ? range.length + 1 : null,
    bound: verdict === 'inconclusive' ? atLeastInV8(bound, v8) : bound,
    slope: { bytes: evidence.slope, low: evidence.slopeLow, high: evidence.slopeHigh },
    perHourBytes: Number.isNaN(perSecond) ? null : perSecond * 3600,
    perEpochBytes: Number.isNaN(perSecond) ? null : perEpoch(recording, perSecond),
    growthBytes: evidence.growth,
    floorBytes: evidence.floor,
    exhaustionSeconds: full?.seconds ?? null,
    exhausts: full?.of ?? null,
    line: range && lineOf(range, evidence, rise),
  };
}

const nsAt = ({ zeroNs }: WorkloadSpan, seconds = Number.NaN) => zeroNs + seconds * SECOND_NS;

const IN_FILES: TrendDecision = {
  verdict: 'inconclusive',
  rule: 'mapped files',
  because:
    'it is pages of mapped files that grow, and the kernel takes those back when it needs them',
};

/** "No leak" is not said by figures that are mostly estimates. */
function unlessEstimated(
  recording: Recording,
  { measure }: JudgedSeries,
  decision: TrendDecision,
): TrendDecision {
  const cleared = decision.verdict === 'plateau' || decision.verdict === 'bounded';
  if (!cleared || measure !== 'PSS' || pssReadOften(recording)) return decision;
  return {
    verdict: 'inconclusive',
    rule: 'PSS was read',
    because: 'proportional memory (PSS) was read too seldom to tell',
  };
}

/** The line goes through the middle of the judged values. */
function lineOf(
  { fromSeconds, toSeconds }: { readonly fromSeconds: number; readonly toSeconds: number },
  { firstLevel, lastLevel }: TrendEvidence,
  rise: number,
): Trend['line'] {
  const middle = (firstLevel + lastLevel) / 2;
  if (!Number.isFinite(middle + rise)) return null;
  return { fromSeconds, fromBytes: middle - rise / 2, toSeconds, toBytes: middle + rise / 2 };
}

/** When the judged values began and ended; their length in iterations or seconds. */
function judgedRange(
  x: Float64Array,
  { judged, over }: TrendEvidence,
  marks: Iterations,
  span: WorkloadSpan,
) {
  const first = x[x.length - judged];
  const last = x[x.length - 1];
  if (judged < 2 || first === undefined || last === undefined) return null;
  if (over === 'time') {
    const start = (span.startNs - span.zeroNs) / SECOND_NS;
    return { fromSeconds: start + first, toSeconds: start + last, length: last - first };
  }
  return {
    length: last - first,
    fromSeconds: (marks.times[marks.numbers.indexOf(first)]! - span.zeroNs) / SECOND_NS,
    toSeconds: (marks.times[marks.numbers.lastIndexOf(last)]! - span.zeroNs) / SECOND_NS,
  };
}

const FEWEST_EPOCHS = 3;

function perEpoch(recording: Recording, perSecond: number): number | null {
  const marks = recording.table('marks');
  const kinds = marks.u32('kind');
  const times = marks.f64('time').filter((_, row) => recording.text(kinds[row]!) === 'epoch');
  if (times.length < FEWEST_EPOCHS) return null;
  const each = (times[times.length - 1]! - times[0]!) / (times.length - 1) / SECOND_NS;
  return perSecond * each;
}

/** Fewer moments at which PSS was measured show no trend: between them it is estimated from RSS. */
const FEWEST_READINGS = 12;
/** More rows without any PSS make the tree's sum one of some processes only. */
const MOST_MISSING = 0.1;

/** Whether PSS was measured often enough to say that it did not grow. */
function pssReadOften(recording: Recording): boolean {
  const table = recording.table('process');
  const [times, pss] = [table.f64('time'), table.f64('pss')];
  const estimated = table.u8('pss_estimated');
  let [missing, readings, last] = [0, 0, Number.NaN];
  for (let row = 0; row < table.rows; row++) {
    if (Number.isNaN(pss[row]!)) missing++;
    else if (estimated[row] === 0 && times[row] !== last) {
      readings++;
      last = times[row]!;
    }
  }
  return readings >= FEWEST_READINGS && missing <= MOST_MISSING * table.rows;
}
