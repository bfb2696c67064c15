import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { student95 } from '../../base/stats.ts';
import { figureOf, repeatable } from './family.ts';
import { grownParts, type LimitFinding } from './finding.ts';
import type { RegressLimit } from './limit.ts';
import type { RunFigures } from './run-figures.ts';

/**
 * Against the mean of the baseline's runs. Several of them give a band in which the next run would lie by chance
 * alone; what is over the limit but inside that band is not called a regression.
 */
export function checkRegress(
  limit: RegressLimit,
  runs: readonly RunFigures[],
  baseline: readonly RunFigures[],
): LimitFinding[] {
  const all = [...runs, ...baseline].map((run) => run.peaks);
  const names = limit.series === null ? repeatable(all) : [limit.series];
  if (names.length === 0) {
    return [unknown(limit, null, 'this run and the baseline have no series in common')];
  }
  return names.map((name) => one(limit, name, runs, baseline));
}

function one(
  limit: RegressLimit,
  name: string,
  runs: readonly RunFigures[],
  baseline: readonly RunFigures[],
): LimitFinding {
  const values = (some: readonly RunFigures[]) =>
    some.flatMap((run) => figureOf(run.peaks, name)?.bytes ?? []);
  const [now, before] = [values(runs), values(baseline)];
  if (now.length === 0) return unknown(limit, name, `this run has no series '${name}'`);
  if (before.length === 0) return unknown(limit, name, `the baseline has no series '${name}'`);
  const [mean, old] = [meanOf(now), meanOf(before)];
  const allowed = old * (1 + limit.share);
  const band = bandOf(before, now.length);
  const over = mean > allowed;
  const noise = over && band !== null && mean <= old + band;
  const change = `${formatDelta(mean - old)}, ${percent(mean / old - 1)}`;
  const chance =
    band === null ? '' : ` (± ${formatBytes(band)} by chance, from ${before.length} runs)`;
  const lack = baseline.find(({ lacks }) => lacks !== undefined)?.lacks;
  const open = noise || (over && lack !== undefined);
  const inside = noise
    ? ': over the limit, but within what chance does'
    : open
      ? `: over the limit, but of the baseline ${lack}`
      : '';
  return {
    kind: 'regress',
    limit: limit.text,
    status: open ? 'unknown' : over ? 'fail' : 'pass',
    series: name,
    measuredBytes: mean,
    limitBytes: allowed,
    evidence: `${name} ${formatBytes(mean)} to ${formatBytes(old)} in the baseline: ${change}${chance}${inside}`,
    parts: over && !open ? grownParts(runs[0]!.parts, baseline[0]!.parts) : [],
  };
}

/** Half the width of a 95 % prediction interval for the mean of so many new runs; null with one run alone. */
function bandOf(values: readonly number[], times: number): number | null {
  const n = values.length;
  if (n < 2) return null;
  const middle = meanOf(values);
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (n - 1);
  return student95(n - 1) * Math.sqrt(variance * (1 / times + 1 / n));
}

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const percent = (share: number) =>
  `${share < 0 ? '−' : '+'}${(100 * Math.abs(share)).toFixed(1)} %`;

function unknown(limit: RegressLimit, series: string | null, evidence: string): LimitFinding {
  return {
    kind: 'regress',
    limit: limit.text,
    status: 'unknown',
    series,
    measuredBytes: null,
    limitBytes: null,
    evidence,
    parts: [],
  };
}
