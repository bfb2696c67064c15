import type { OomFigures } from '../model/out-of-memory.ts';
import type { RunInfo } from '../model/run.ts';
import type { Device } from './allocations/index.ts';
import type { LiveStacks } from './allocations/live-stacks.ts';
import type { AllocationTrust } from './allocations/trust.ts';
import type { Cache } from './caches.ts';
import type { Cell } from './cells.ts';
import type { Ending } from './ending.ts';
import type { GpuFacts } from './gpu/index.ts';
import type { Inside } from './inside.ts';
import type { ModelLayers } from './layers/index.ts';
import type { Leak } from './leak/index.ts';
import type { OomJudgement } from './out-of-memory.ts';
import type { Headline, Peak } from './peaks.ts';
import type { PinnedMemory } from './pinned.ts';
import type { Plan } from './plan/index.ts';
import type { MarkedPhase, Sleeper } from './plan/sleeps.ts';
import type { HostPeak } from './processes/host-peak/index.ts';
import type { Processes } from './processes/index.ts';
import type { Ranks } from './ranks/index.ts';
import type { Requests } from './requests/index.ts';
import type { Timing } from './timing.ts';
import type { Trust } from './trust.ts';

/** A message that memory ran out, with what its figures prove. */
export interface SaidOutOfMemory extends OomFigures, OomJudgement {
  readonly seconds: number;
}

/** What happened in one run, as figures. */
export interface ReportFacts {
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
    /** The control group it was measured in, with its limit; null: none. */
    readonly cgroup: RunInfo['cgroup'];
    readonly startedAt: string;
    readonly endedAt: string | null;
    readonly labels: RunInfo['labels'];
    readonly recorder: string;
    /** Frameworks whose loop took the steps, by id; absent where no agent saw one. */
    readonly frameworks?: readonly string[];
  };
  readonly headline: Headline | null;
  readonly peaks: readonly Peak[];
  /** Every card, used by this workload or not: its peak, and who held it then. */
  readonly gpus: readonly GpuFacts[];
  readonly ending: Omit<Ending, 'type'>;
  /** What the program's own messages about memory that ran out prove and exclude. */
  readonly outOfMemory: readonly SaidOutOfMemory[];
  /** Whether it leaked, how much, who. */
  readonly leak: Omit<Leak, 'type'>;
  readonly timing: Omit<Timing, 'type' | 'originNs'>;
  readonly processes: Omit<Processes, 'type'>;
  /** What its large processes were made of when they were highest. */
  readonly hostPeak: Omit<HostPeak, 'type'>;
  /** Side by side, with the one that stands out; none where there are not at least two. */
  readonly ranks: Omit<Ranks, 'type'>;
  /** What the agent did inside the workload, and what that cost. */
  readonly inside: Omit<Inside, 'type'>;
  /** What each cell of a notebook took and left; none where no kernel was recorded. */
  readonly cells: readonly Cell[];
  /** What engines that serve models planned, by their own lines, against what was measured. */
  readonly plan: Omit<Plan, 'type'>;
  /** Processes that fall asleep and wake, and what they held while asleep. */
  readonly sleeps: readonly Sleeper[];
  /** Phases that programs mark themselves, with the most that they held in each. */
  readonly phases: readonly MarkedPhase[];
  /** What it served or evaluated, where no optimizer runs: how much, of which shapes, how it grows by that; null: nothing was seen. */
  readonly requests: Omit<Requests, 'type'> | null;
  /** Tensors that became more as it served, by who holds them: where no optimizer runs. */
  readonly caches: readonly Cache[];
  /** Host memory that torch has pinned for copies to a card, of each process that pins any. */
  readonly pinned: readonly PinnedMemory[];
  /** What each layer of a model held, of each process that carries a profiler. */
  readonly layers: readonly ModelLayers[];
  /** What allocators of devices did, where a trace of theirs was imported. */
  readonly devices: readonly Device[];
  /** What was in use by call stack, of an imported heap profile; null: there is none. */
  readonly liveStacks: Omit<LiveStacks, 'type'> | null;
  readonly sampling: RunInfo['sampling'] & { readonly samples: number };
  readonly sources: RunInfo['sources'];
  readonly trust: Omit<Trust, 'type' | 'warnings'> & {
    /** Of each device's allocation trace. */
    readonly allocations: readonly AllocationTrust[];
  };
  readonly warnings: readonly string[];
}

/** Not of the host: the device's own figures say it too. */
export const isOfDevice = (headline: Headline | null): boolean =>
  headline?.measure === 'card' || headline?.measure === 'allocator';
