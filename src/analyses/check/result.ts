import type { CheckStatus, LimitFinding } from './finding.ts';
import type { RunFigures } from './run-figures.ts';

/** Whether runs keep within limits, as figures. */
export interface CheckFacts {
  readonly type: 'check';
  readonly schemaVersion: 1;
  /** `fail` where one limit fails; else `unknown` where one is unknown or a run failed. */
  readonly status: CheckStatus;
  readonly runs: readonly Pick<RunFigures, 'id' | 'name' | 'startedAt'>[];
  /** How many runs the baseline is made of. */
  readonly baselineRuns: number;
  readonly findings: readonly LimitFinding[];
  /** What weakens the answer: a workload that failed, warnings of the recordings. */
  readonly notes: readonly string[];
}
