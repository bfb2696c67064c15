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

/** What a report is asked about. */
interface Inputs {
  readonly recording: Recording;
  /** Allocation traces that the workload left beside its recording. */
  readonly snapshots: readonly Recording[];
  /** One of each rank, where they left some. */
  readonly rankTraces: readonly RankRecording[];
}

/**
 * Every analysis of a report by its name, with what it needs of the inputs. A new one gets a line
 * here, a key in `Report` and its place among the others in `report`; what is said of it is a
 * section of `views/report/sections.ts`. They are asked in this order, and damage is told in the
 * order in which tables are read.
 */
const ANALYSES = {
  ending: ({ recording }: Inputs) => ending(recording),
  timing: ({ recording }: Inputs) => timing(recording),
  processes: ({ recording }: Inputs) => processes(recording),
  leak: ({ recording }: Inputs) => leak(recording),
  ranks: ({ recording, rankTraces }: Inputs) =>
    ranks(
      recording,
      rankTraces.map((one) => ({ rank: one.rank, devices: devices(one.recording) })),
    ),
  inside: ({ recording }: Inputs) => inside(recording),
  peaks: ({ recording }: Inputs) => peaks(recording),
  trust: ({ recording }: Inputs) => trust(recording),
  gpus: ({ recording }: Inputs) => gpus(recording),
  layers: ({ recording }: Inputs) => layers(recording),
  devices: ({ recording, snapshots }: Inputs) => [
    ...devices(recording),
    ...inStepsOfRun(recording, snapshots.flatMap(devices)),
  ],
  allocationTrust: ({ recording, snapshots }: Inputs) =>
    [recording, ...snapshots].flatMap(allocationTrust),
  allocationWarnings: ({ recording, snapshots }: Inputs) =>
    [recording, ...snapshots].flatMap(allocationWarnings),
};

type Answers = { readonly [Id in keyof typeof ANALYSES]: ReturnType<(typeof ANALYSES)[Id]> };

/** Asks every analysis and puts the answers side by side. */
export function report(
  recording: Recording,
  snapshots: readonly Recording[] = [],
  rankTraces: readonly RankRecording[] = [],
): Report {
  const { run } = recording;
  const answers = askAll({ recording, snapshots, rankTraces });
  const { originNs: _, ...time } = untagged(answers.timing);
  const { warnings, ...doubts } = untagged(answers.trust);
  const { code, signal, oomKilled } = answers.ending;
  return {
    type: 'report',
    schemaVersion: REPORT_VERSION,
    recording: {
      id: run.id,
      name: run.name,
      argv: run.argv,
      subject: run.subject,
      durationSeconds: time.durationSeconds,
      exit: { code, signal, oomKilled },
      host: run.host,
      startedAt: run.startedAt,
      endedAt: run.endedAt,
      labels: run.labels,
      recorder: run.recorder.version,
    },
    headline: answers.peaks.headline,
    peaks: answers.peaks.peaks,
    gpus: answers.gpus.gpus,
    ending: untagged(answers.ending),
    leak: untagged(answers.leak),
    timing: time,
    processes: untagged(answers.processes),
    ranks: untagged(answers.ranks),
    inside: untagged(answers.inside),
    layers: answers.layers.models,
    devices: answers.devices,
    sampling: { ...run.sampling, samples: answers.peaks.samples },
    sources: run.sources,
    trust: { ...doubts, allocations: answers.allocationTrust },
    warnings: [...warnings, ...answers.allocationWarnings],
  };
}

function askAll(inputs: Inputs): Answers {
  const asked = Object.entries(ANALYSES).map(([id, run]) => [id, run(inputs)]);
  return Object.fromEntries(asked) as Answers;
}

/** The key it stands under says what it is. */
function untagged<Answer extends { readonly type: string }>(answer: Answer): Omit<Answer, 'type'> {
  const { type: _, ...rest } = answer;
  return rest;
}
