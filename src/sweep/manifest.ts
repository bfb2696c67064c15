import { withoutSecrets as hideIn, redactArgv } from '../base/secrets/index.ts';
import type { PlannedRun, SweepPlan } from './plan.ts';

export const MANIFEST = 'sweep.json';
export const MANIFEST_VERSION = 1;
export const PLOTS = 'Plots';

/** `waiting`: not begun; `running`: begun, and not ended if nobody runs the sweep any more. */
export type RunState = 'waiting' | 'running' | 'done' | 'failed' | 'interrupted';

/** What became of one run. */
export interface ManifestRun extends PlannedRun {
  readonly state: RunState;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it failed, in a few words. */
  readonly reason: string | null;
  /** How long it took with its recorder, for the time left. */
  readonly wallSeconds: number | null;
}

/** sweep.json: what was asked for, how far it came, and every file that the sweep made. */
export interface Manifest {
  readonly schemaVersion: number;
  readonly type: 'sweep';
  readonly startedAt: string;
  readonly updatedAt: string;
  /** Secrets redacted, as in every recording. */
  readonly plan: SweepPlan;
  /** Runs side by side at most; above 1, figures of the whole machine belong to no single run. */
  readonly jobs: number;
  readonly runs: readonly ManifestRun[];
  /** Pictures, relative to the folder. */
  readonly plots: readonly string[];
}

export const NOT_RUN = {
  state: 'waiting',
  exitCode: null,
  signal: null,
  reason: null,
  wallSeconds: null,
} as const;

export function newManifest(plan: SweepPlan, runs: readonly PlannedRun[], jobs: number): Manifest {
  const now = new Date().toISOString();
  return {
    schemaVersion: MANIFEST_VERSION,
    type: 'sweep',
    startedAt: now,
    updatedAt: now,
    plan: withoutSecrets(plan),
    jobs,
    runs: runs.map((run) => ({ ...run, ...NOT_RUN })),
    plots: [],
  };
}

/** A plan as it may be stored and shared. */
export function withoutSecrets(plan: SweepPlan): SweepPlan {
  return {
    ...plan,
    name: hideIn(plan.name),
    command: redactArgv(plan.command),
    recordFlags: redactArgv(plan.recordFlags),
    env: plan.env.flatMap((word) => redactArgv([word])),
  };
}
