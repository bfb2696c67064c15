import type { Recording } from '../model/recording.ts';
import type { RunInfo } from '../model/run.ts';
import { type Device, devices } from './allocations/index.ts';
import { inStepsOfRun } from './allocations/run-step.ts';
import { type AllocationTrust, allocationTrust, allocationWarnings } from './allocations/trust.ts';
import { type Ending, ending } from './ending.ts';
import { type GpuFacts, gpus } from './gpu/index.ts';
import { type Inside, inside } from './inside.ts';
import { layers, type ModelLayers } from './layers/index.ts';
import { type Leak, leak } from './leak/index.ts';
import { type Headline, type Peak, peaks } from './peaks.ts';
import { type Processes, processes } from './processes/index.ts';
import { type Ranks, ranks } from './ranks/index.ts';
import { type Timing, timing } from './timing.ts';
import { type Trust, trust } from './trust.ts';

/** The version of the report as programs read it: new keys leave it, changed ones raise it. */
const REPORT_VERSION = 1;

/** What happened in one run. Its JSON is a contract: keys are added, never renamed. */
export interface Report {
  readonly type: 'report';
  readonly schemaVersion: number;
  readonly recording: {
    readonly id: string;
    readonly name: string;
    readonly argv: readonly string[];
    readonly subject: RunInfo['subject'];
    /** The workload's; of a bare host or an import, the whole recording's. */
    readonly durationSeconds: number;
    /** All null while the end is not known. */
    readonly exit: Pick<Ending, 'code' | 'signal' | 'oomKilled'>;
    readonly host: RunInfo['host'];
    readonly startedAt: string;
    readonly endedAt: string | null;
    readonly labels: RunInfo['labels'];
    readonly recorder: string;
  };
  readonly headline: Headline | null;
  readonly peaks: readonly Peak[];
  /** Every card, used by this workload or not: its peak, and who held it then. */
  readonly gpus: readonly GpuFacts[];
  readonly ending: Omit<Ending, 'type'>;
  /** Whether it leaked, how much, who. */
  readonly leak: Omit<Leak, 'type'>;
  readonly timing: Omit<Timing, 'type' | 'originNs'>;
  readonly processes: Omit<Processes, 'type'>;
  /** Side by side, with the one that stands out; none where there are not at least two. */
  readonly ranks: Omit<Ranks, 'type'>;
  /** What the agent did inside the workload, and what that cost. */
  readonly inside: Omit<Inside, 'type'>;
  /** What each layer of a model held, of each process that carries a profiler. */
  readonly layers: readonly ModelLayers[];
  /** What allocators of devices did, where a trace of theirs was imported. */
  readonly devices: readonly Device[];
  readonly sampling: RunInfo['sampling'] & { readonly samples: number };
  readonly sources: RunInfo['sources'];
  readonly trust: Omit<Trust, 'type' | 'warnings'> & {
    /** Of each device's allocation trace. */
    readonly allocations: readonly AllocationTrust[];
  };
  readonly warnings: readonly string[];
}

/** The allocation trace that one rank left. */
export interface RankRecording {
  readonly rank: number;
  readonly recording: Recording;
}

/**
 * Asks every analysis and puts the answers side by side. `snapshots`: allocation traces that the
 * workload left beside its recording; `rankTraces`: one of each rank, where they left some.
 */
export function report(
  recording: Recording,
  snapshots: readonly Recording[] = [],
  rankTraces: readonly RankRecording[] = [],
): Report {
  const { run } = recording;
  const { type: _ending, ...end } = ending(recording);
  const { type: _timing, originNs: _origin, ...time } = timing(recording);
  const { type: _processes, ...who } = processes(recording);
  const { type: _leak, ...leaks } = leak(recording);
  const { type: _ranks, ...sideBySide } = ranks(
    recording,
    rankTraces.map((one) => ({ rank: one.rank, devices: devices(one.recording) })),
  );
  const { type: _inside, ...insider } = inside(recording);
  const top = peaks(recording);
  // Last, as damage shows only once the tables are read.
  const { type: _trust, warnings, ...doubts } = trust(recording);
  const traces = [recording, ...snapshots];
  const allocations = traces.flatMap(allocationTrust);
  return {
    type: 'report',
    schemaVersion: REPORT_VERSION,
    recording: {
      id: run.id,
      name: run.name,
      argv: run.argv,
      subject: run.subject,
      durationSeconds: time.durationSeconds,
      exit: { code: end.code, signal: end.signal, oomKilled: end.oomKilled },
      host: run.host,
      startedAt: run.startedAt,
      endedAt: run.endedAt,
      labels: run.labels,
      recorder: run.recorder.version,
    },
    headline: top.headline,
    peaks: top.peaks,
    gpus: gpus(recording).gpus,
    ending: end,
    leak: leaks,
    timing: time,
    processes: who,
    ranks: sideBySide,
    inside: insider,
    layers: layers(recording).models,
    devices: [...devices(recording), ...inStepsOfRun(recording, snapshots.flatMap(devices))],
    sampling: { ...run.sampling, samples: top.samples },
    sources: run.sources,
    trust: { ...doubts, allocations },
    warnings: [...warnings, ...traces.flatMap(allocationWarnings)],
  };
}
