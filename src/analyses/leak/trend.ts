import type { NumberOrNaN } from '../../base/stats.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Iterations } from '../../model/iterations.ts';
import type { Recording } from '../../model/recording.ts';
import { type Evidence, evidence } from './evidence.ts';
import { exhaustion } from './exhaustion.ts';
import { pssTells } from './pss-quality.ts';
import { type Decision, decide, type Verdict } from './rules.ts';
import type { Span } from './span.ts';
import { type Subject, subjects } from './subjects.ts';
import { iterationsOf, valuesOf } from './values.ts';

/** How one series moved while the workload ran. */
export interface Trend {
  readonly verdict: Verdict;
  /** The rule that decided, and why in plain words. */
  readonly rule: string;
  readonly because: string;
  readonly series: string;
  readonly measure: Subject['measure'];
  readonly role: string | null;
  readonly members: number | null;
  readonly over: 'iterations' | 'time';
  /** How many values were judged, the warm-up left out. */
  readonly values: number;
  /** Bytes for each iteration, or each second where there are none, with a 95 % interval; of few values, none. */
  readonly slope: {
    readonly bytes: NumberOrNaN;
    readonly low: NumberOrNaN;
    readonly high: NumberOrNaN;
  };
  readonly perHourBytes: number | null;
  /** Where the log tells epochs. */
  readonly perEpochBytes: number | null;
  /** Over the judged stretch, and what would have mattered. */
  readonly growthBytes: NumberOrNaN;
  readonly floorBytes: NumberOrNaN;
  /** Until the memory is full at this rate; null where it does not leak. */
  readonly exhaustionSeconds: number | null;
  readonly exhausts: 'cgroup limit' | 'machine' | null;
  /** The trend as a line, for charts. */
  readonly line: {
    readonly fromSeconds: number;
    readonly fromBytes: number;
    readonly toSeconds: number;
    readonly toBytes: number;
  } | null;
}

export function trends(recording: Recording, span: Span): Trend[] {
  const iterations = iterationsOf(recording);
  const watched = subjects(recording).map((subject): Watched => {
    const values = valuesOf(subject.series, iterations, span);
    return { subject, values, found: evidence(values) };
  });
  return watched.map((one) => trend(recording, one, mayLoad(one, watched), iterations, span));
}

interface Watched {
  readonly subject: Subject;
  readonly values: ReturnType<typeof valuesOf>;
  readonly found: Evidence;
}

/** Pages that stop being shared make PSS grow while RSS does not; what is loaded makes both grow. */
function mayLoad({ subject, found }: Watched, all: readonly Watched[]): boolean {
  if (subject.measure !== 'PSS') return true;
  const resident = all.find(
    (other) => other.subject.measure === 'RSS' && other.subject.role === subject.role,
  );
  return !resident || resident.found.growth > RESIDENT_SHARE * found.growth;
}

const RESIDENT_SHARE = 0.25;

function trend(
  recording: Recording,
  { subject, values, found }: Watched,
  loads: boolean,
  marks: Iterations,
  span: Span,
): Trend {
  const { verdict, rule, because } = trusted(recording, subject, decide(found, loads));
  const place = placeOf(values.x, found, marks, span);
  const seconds = place ? place.toSeconds - place.fromSeconds : 0;
  const rise = place ? found.slope * place.length : 0;
  const perSecond = seconds > 0 ? rise / seconds : Number.NaN;
  const onHost = subject.measure !== 'device';
  const full = verdict === 'leak' && onHost ? exhaustion(recording, span, perSecond) : null;
  return {
    verdict,
    rule,
    because,
    series: subject.series.name,
    measure: subject.measure,
    role: subject.role,
    members: subject.members,
    over: found.over,
    values: found.judged,
    slope: { bytes: found.slope, low: found.slopeLow, high: found.slopeHigh },
    perHourBytes: Number.isNaN(perSecond) ? null : perSecond * 3600,
    perEpochBytes: Number.isNaN(perSecond) ? null : perEpoch(recording, perSecond),
    growthBytes: found.growth,
    floorBytes: found.floor,
    exhaustionSeconds: full?.seconds ?? null,
    exhausts: full?.of ?? null,
    line: place && lineOf(place, found, rise),
  };
}

/** Figures that were carried along, not read, cannot clear anybody. */
function trusted(recording: Recording, { measure }: Subject, said: Decision): Decision {
  const cleared = said.verdict === 'plateau' || said.verdict === 'bounded';
  if (!cleared || measure !== 'PSS' || pssTells(recording)) return said;
  return {
    verdict: 'inconclusive',
    rule: 'PSS was read',
    because: 'proportional memory (PSS) was read too seldom to tell',
  };
}

/** The line goes through the middle of the judged values. */
function lineOf(
  { fromSeconds, toSeconds }: { readonly fromSeconds: number; readonly toSeconds: number },
  { firstLevel, lastLevel }: Evidence,
  rise: number,
): Trend['line'] {
  const middle = (firstLevel + lastLevel) / 2;
  if (!Number.isFinite(middle + rise)) return null;
  return { fromSeconds, fromBytes: middle - rise / 2, toSeconds, toBytes: middle + rise / 2 };
}

/** When the judged stretch began and ended; its length in iterations or seconds. */
function placeOf(x: Float64Array, { judged, over }: Evidence, marks: Iterations, span: Span) {
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
