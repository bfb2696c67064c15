import { SCHEMA_VERSION } from './schema.ts';

/** Whether something could be measured, and if not, why. */
export type Availability =
  | { readonly ok: true; readonly detail?: string }
  | { readonly ok: false; readonly reason: string; readonly remedy?: string };

export interface ExitInfo {
  /** null when a signal ended it, or when the end was not seen. */
  code: number | null;
  signal: string | null;
  /** null: cannot be known on this machine. */
  oomKilled: boolean | null;
  /** What the answer above rests on. */
  oomEvidence: string;
  /** Why Highwater itself ended the workload, if it did (a limit, `--duration`). */
  endedBy: string | null;
}

export interface SamplingInfo {
  askedHz: number;
  reachedHz: number | null;
  ticks: number;
  missed: number;
  /** How late samples were taken after their deadline. */
  latenessMs: { p50: number; p99: number; max: number } | null;
  /** Processor seconds of the whole recorder. */
  recorderCpuSeconds: number | null;
}

/** run.json: what is known of a run beside its tables. */
export interface RunInfo {
  schemaVersion: number;
  id: string;
  name: string;
  /** Secrets redacted; empty for a bare host. */
  argv: string[];
  /** What was recorded: a command, an attached process, the bare host, or an imported file. */
  subject: 'command' | 'pid' | 'host' | 'import';
  host: {
    name: string;
    platform: string;
    kernel: string;
    arch: string;
    cpus: number;
    memoryBytes: number | null;
  };
  gpus: { index: number; uuid: string; name: string; memoryBytes: number }[];
  /** Wall time of the recording's start, ISO 8601. */
  startedAt: string;
  /** null: the recording was cut off; a crashed run. */
  endedAt: string | null;
  rootPid: number | null;
  sampling: SamplingInfo;
  sources: ({ id: string } & Availability)[];
  /** The control group whose figures the `cgroup` table holds; `own` when it holds this workload only. */
  cgroup: { version: 1 | 2; own: boolean; limitBytes: number | null } | null;
  exit: ExitInfo | null;
  /** The recording outgrew its size: of each such stretch of the older part only extremes are kept. */
  foldedSeconds: number | null;
  /** rank, world size, launcher, restart … */
  labels: Record<string, string>;
  warnings: string[];
  recorder: { version: string; pid: number };
}

export function newRun(fields: Partial<RunInfo> & Pick<RunInfo, 'id' | 'name'>): RunInfo {
  return {
    schemaVersion: SCHEMA_VERSION,
    argv: [],
    subject: 'import',
    host: { name: '', platform: '', kernel: '', arch: '', cpus: 0, memoryBytes: null },
    gpus: [],
    startedAt: new Date(0).toISOString(),
    endedAt: null,
    rootPid: null,
    sampling: {
      askedHz: 0,
      reachedHz: null,
      ticks: 0,
      missed: 0,
      latenessMs: null,
      recorderCpuSeconds: null,
    },
    sources: [],
    cgroup: null,
    exit: null,
    foldedSeconds: null,
    labels: {},
    warnings: [],
    recorder: { version: '', pid: 0 },
    ...fields,
  };
}
