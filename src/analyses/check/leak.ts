import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { boundWords } from '../../model/rate-words.ts';
import type { Report } from '../report.ts';
import { type CheckStatus, grownParts, type LimitFinding } from './finding.ts';
import type { GrowthLimit, LeakLimit, Per } from './limit.ts';
import type { RunFigures } from './run-figures.ts';

type Trend = NonNullable<Report['leak']['trend']>;

const STATUS: Readonly<Record<Report['leak']['verdict'], CheckStatus>> = {
  leak: 'fail',
  plateau: 'pass',
  bounded: 'pass',
  inconclusive: 'unknown',
};

/** One leak fails; all must be shown not to leak. */
export function checkLeak(limit: LeakLimit, reports: readonly Report[]): LimitFinding {
  const found = reports.map(leakOf);
  const worst =
    found.find(({ status }) => status === 'fail') ??
    found.find(({ status }) => status === 'unknown') ??
    found[0]!;
  return {
    kind: 'leak',
    limit: limit.text,
    measuredBytes: null,
    limitBytes: null,
    parts: [],
    ...worst,
  };
}

/** Of the process, and of devices' allocators where their steps were traced. */
function leakOf({ leak, devices }: Report): Pick<LimitFinding, 'status' | 'evidence' | 'series'> {
  const device = devices.find((one) => one.leak.verdict === 'leak');
  if (device && leak.verdict !== 'leak') {
    const evidence = `live bytes of device ${device.device} grow from step to step`;
    return { status: 'fail', series: null, evidence };
  }
  const { trend, verdict, because, bound, shelf } = leak;
  const most = bound ? `at most ${boundWords(bound)}` : '';
  const leftNothing = shelf === null || shelf.verdict === 'bounded';
  if (verdict === 'inconclusive' && bound && leftNothing && bound.growthBytes < bound.floorBytes) {
    const counts = `below what counts as a leak in a run of this length (${formatBytes(bound.floorBytes)})`;
    return { status: 'pass', series: bound.series, evidence: `${bound.series} ${most}, ${counts}` };
  }
  const slope =
    trend && verdict === 'leak' && trend.verdict === 'leak' ? `${slopeText(trend)}: ` : '';
  return {
    status: STATUS[verdict],
    series: trend?.series ?? null,
    evidence: `${verdict}: ${slope}${because}${most && verdict !== 'leak' ? `; ${most}` : ''}`,
  };
}

const slopeText = ({ slope, over, series }: Trend) =>
  `${series} ${formatDelta(slope.bytes)} ${over === 'iterations' ? 'an iteration' : 'a second'}`;

/** Judged by the whole interval of the slope: where the limit lies inside it, nothing is claimed. */
export function checkGrowth(
  limit: GrowthLimit,
  reports: readonly Report[],
  runs: readonly RunFigures[],
): LimitFinding {
  const found = reports.map((report, i) => ({ ...growthOf(limit, report), run: runs[i]! }));
  const worst =
    found.find(({ status }) => status === 'fail') ??
    found.find(({ status }) => status === 'unknown') ??
    found[0]!;
  const { run, ...finding } = worst;
  return {
    kind: 'growth',
    limit: limit.text,
    limitBytes: limit.mostBytes,
    ...finding,
    parts: finding.status === 'fail' ? grownParts(run.parts, null) : [],
  };
}

function growthOf(
  limit: GrowthLimit,
  { leak }: Report,
): Pick<LimitFinding, 'status' | 'series' | 'measuredBytes' | 'evidence'> {
  const unknown = (evidence: string, series: string | null = limit.series) => ({
    status: 'unknown' as const,
    series,
    measuredBytes: null,
    evidence,
  });
  const trend = limit.series
    ? leak.trends.find((one) => one.series === limit.series && one.role === null)
    : leak.trend;
  if (!trend) return unknown('no trend was judged: the run has no such series, or too few samples');
  const factor = factorOf(limit.per, trend);
  const { bytes, low, high } = trend.slope;
  if (factor === null || ![bytes, low, high].every(Number.isFinite)) {
    const why =
      trend.over === 'time' && limit.per === 'iteration'
        ? 'it told of no iterations'
        : trend.because;
    return unknown(`growth per ${limit.per} cannot be told: ${why}`, trend.series);
  }
  const status =
    high * factor <= limit.mostBytes ? 'pass' : low * factor > limit.mostBytes ? 'fail' : 'unknown';
  const range = `${formatBytes(low * factor)} to ${formatBytes(high * factor)}`;
  return {
    status,
    series: trend.series,
    measuredBytes: bytes * factor,
    evidence: `${trend.series} ${formatDelta(bytes * factor)} per ${limit.per} (95 %: ${range}) over ${trend.values} values`,
  };
}

const SECONDS: Partial<Record<Per, number>> = { second: 1, minute: 60, hour: 3600, day: 86_400 };

/** From the trend's own unit to the limit's; null where one cannot be turned into the other. */
function factorOf(per: Per, { over, slope, perHourBytes, perEpochBytes }: Trend): number | null {
  if (per === 'iteration') return over === 'iterations' ? 1 : null;
  const seconds = SECONDS[per];
  if (seconds !== undefined && over === 'time') return seconds;
  const other =
    seconds === undefined ? perEpochBytes : perHourBytes && (perHourBytes / 3600) * seconds;
  if (other === null) return null;
  return slope.bytes === 0 ? 1 : other / slope.bytes;
}
