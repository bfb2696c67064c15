import type { Report } from '../../src/analyses/report.ts';
import type { Truth } from './truth.ts';

/** The parts of `report --json` that are scored. */
export type ScoredReport = Pick<Report, 'leak' | 'ending'> & {
  readonly verdict: { readonly cause: { readonly code: string } };
};

/** `honest`: it says that it cannot tell, and that it is at most so much. `unbounded`: it knows no bounds yet. */
export type Mark = 'right' | 'honest' | 'unbounded' | 'wrong';

export interface Score {
  readonly mark: Mark;
  /** What is wrong, or what it said; for people. */
  readonly because: string;
  readonly falseAlarm: boolean;
  /** null: nothing was found, or nobody knows. */
  readonly culprit: boolean | null;
  readonly slope: boolean | null;
}

/** At most so much, as `leak.bound` tells; absent in reports that know no bounds. */
interface Bound {
  readonly bytesPerIteration?: number | null;
  readonly bytesPerHour?: number | null;
}

const OUT_OF_MEMORY = /^(out-of-memory|limit$|too-large$|fragmentation$)/;
const HOUR_SECONDS = 3600;

/** Holds a report against the truth. */
export function score(truth: Truth, report: ScoredReport): Score {
  const { leak } = report;
  const found = leak.verdict === 'leak';
  const told = {
    falseAlarm: found && !truth.leak,
    culprit: found && truth.leak && truth.culprit.length > 0 ? culpritRight(truth, report) : null,
    slope: found && truth.leak && truth.slope ? slopeRight(truth, report) : null,
  };
  return { ...told, ...marked(truth, report, told.slope) };
}

function marked(
  truth: Truth,
  report: ScoredReport,
  slope: boolean | null,
): Pick<Score, 'mark' | 'because'> {
  const { leak } = report;
  const because = leak.because;
  if (truth.oom === false && calledOutOfMemory(report)) {
    return { mark: 'wrong', because: 'called out of memory, which it was not' };
  }
  if (leak.verdict === 'inconclusive') return unsure(truth, report);
  if (leak.verdict === 'leak') {
    if (!truth.leak) return { mark: 'wrong', because: `false alarm: ${because}` };
    if (slope === false) return { mark: 'wrong', because: `slope: ${slopeTold(report)}` };
    return { mark: 'right', because };
  }
  if (truth.leak) return { mark: 'wrong', because: `cleared: ${because}` };
  return { mark: 'right', because };
}

function unsure(truth: Truth, report: ScoredReport): Pick<Score, 'mark' | 'because'> {
  const { leak } = report;
  const because = leak.because;
  // Reports from before bounds were told are honest without one.
  if (!('bound' in leak)) return { mark: 'unbounded', because };
  const bound = leak.bound as Bound | null;
  if (!bound) return { mark: 'wrong', because: `says no bound: ${because}` };
  const least = truth.slope && truth.per !== 'run' ? truth.slope[0] : 0;
  const most = boundIn(truth.per, bound, report);
  if (truth.leak && most !== null && most < least) {
    return { mark: 'wrong', because: `bound below the truth: ${Math.round(most)} a ${truth.per}` };
  }
  return { mark: 'honest', because };
}

/** The bound by what the truth counts by; null where it cannot be converted. */
function boundIn(per: Truth['per'], bound: Bound, report: ScoredReport): number | null {
  const { bytesPerIteration, bytesPerHour } = bound;
  if (per === 'iteration') {
    if (bytesPerIteration != null) return bytesPerIteration;
    const rate = iterationsPerSecond(report);
    return rate !== null && bytesPerHour != null ? bytesPerHour / HOUR_SECONDS / rate : null;
  }
  if (bytesPerHour != null) return bytesPerHour / HOUR_SECONDS;
  const rate = iterationsPerSecond(report);
  return rate !== null && bytesPerIteration != null ? bytesPerIteration * rate : null;
}

function iterationsPerSecond({ leak: { trend } }: ScoredReport): number | null {
  if (trend?.over !== 'iterations' || !trend.perHourBytes || !trend.slope.bytes) return null;
  return trend.perHourBytes / HOUR_SECONDS / trend.slope.bytes;
}

const culpritRight = (truth: Truth, { leak }: ScoredReport): boolean =>
  truth.culprit.every((pattern) => new RegExp(pattern, 'i').test(JSON.stringify(leak.culprit)));

/** Whether the interval that was told reaches into the truth's; null where none was told in these terms. */
function slopeRight(truth: Truth, report: ScoredReport): boolean | null {
  const told = intervalIn(truth.per, report);
  if (!told) return null;
  const [low, high] = truth.slope!;
  return told[0] <= high && told[1] >= low;
}

function intervalIn(per: Truth['per'], { leak }: ScoredReport): readonly [number, number] | null {
  if (per === 'run') {
    const { leakedBytes, uncertaintyBytes } = leak.shelf ?? {};
    if (leakedBytes == null || uncertaintyBytes == null) return null;
    return [leakedBytes - uncertaintyBytes, leakedBytes + uncertaintyBytes];
  }
  // Only what was left behind was found, and the trend says nothing.
  if (leak.trend?.verdict !== 'leak') return null;
  const { slope, perHourBytes, over } = leak.trend;
  if (per === 'iteration') return over === 'iterations' ? [slope.low, slope.high] : null;
  if (perHourBytes === null || !slope.bytes) return null;
  const scale = perHourBytes / HOUR_SECONDS / slope.bytes;
  return [slope.low * scale, slope.high * scale];
}

function slopeTold({ leak: { trend, shelf } }: ScoredReport): string {
  const kib = (bytes: number | null | undefined) =>
    `${Math.round((bytes ?? Number.NaN) / 1024)} KiB`;
  return trend?.verdict === 'leak'
    ? `${kib(trend.slope.low)} to ${kib(trend.slope.high)} (${trend.over})`
    : `${kib(shelf?.leakedBytes)} ± ${kib(shelf?.uncertaintyBytes)} left behind`;
}

const calledOutOfMemory = ({ ending, verdict }: ScoredReport): boolean =>
  ending.oomKilled === true || OUT_OF_MEMORY.test(verdict.cause.code);
