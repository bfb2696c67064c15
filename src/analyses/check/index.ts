import type { Verdict } from '../../model/verdict.ts';
import type { Report } from '../report.ts';
import { checkVerdict } from '../verdict/check.ts';
import type { CheckStatus, LimitFinding } from './finding.ts';
import { lacking } from './incomplete.ts';
import { checkGrowth, checkLeak } from './leak.ts';
import type { Limit } from './limit.ts';
import { checkPeak } from './peak.ts';
import { checkRegress } from './regress.ts';
import type { CheckFacts } from './result.ts';
import { type RunFigures, runFigures } from './run-figures.ts';

/** Whether runs keep within limits, and the verdict on it. */
export interface CheckResult extends CheckFacts {
  readonly verdict: Verdict;
}

export function check(
  reports: readonly Report[],
  limits: readonly Limit[],
  baseline: readonly RunFigures[],
): CheckResult {
  const runs = reports.map(runFigures);
  const lack = reports.map(lacking).find((one) => one !== null) ?? null;
  const findings = limits
    .flatMap((limit) => judge(limit, reports, runs, baseline))
    .map((finding) => asFarAsKnown(finding, lack));
  const has = (status: CheckStatus) => findings.some((finding) => finding.status === status);
  const facts: CheckFacts = {
    type: 'check',
    schemaVersion: 1,
    status: has('fail') ? 'fail' : has('unknown') || reports.some(failed) ? 'unknown' : 'pass',
    runs: runs.map(({ id, name, startedAt }) => ({ id, name, startedAt })),
    baselineRuns: baseline.length,
    findings,
    notes: reports.flatMap(notesOn),
  };
  return { ...facts, verdict: checkVerdict(facts) };
}

function judge(
  limit: Limit,
  reports: readonly Report[],
  runs: readonly RunFigures[],
  baseline: readonly RunFigures[],
): LimitFinding[] {
  if (limit.kind === 'peak') return [checkPeak(limit, runs, baseline[0] ?? null)];
  if (limit.kind === 'leak') return [checkLeak(limit, reports)];
  if (limit.kind === 'growth') return [checkGrowth(limit, reports, runs)];
  return checkRegress(limit, runs, baseline);
}

/** What it would have used later is not known. */
const failed = ({ recording: { exit } }: Report) => Boolean(exit.code) || exit.signal !== null;

function notesOn(report: Report): string[] {
  const { name, exit } = report.recording;
  const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`;
  const early = failed(report)
    ? [`${name} ${how}: what it would have used later is not known`]
    : [];
  return [...early, ...report.warnings];
}

/** What was seen may break a limit; that nothing else was cannot be said of a run that was not seen whole. */
function asFarAsKnown(finding: LimitFinding, lack: string | null): LimitFinding {
  if (lack === null || finding.status !== 'pass') return finding;
  return { ...finding, status: 'unknown', evidence: `${lack}; until then ${finding.evidence}` };
}
