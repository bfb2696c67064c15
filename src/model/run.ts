import type { OomFigures } from './out-of-memory.ts';
import { SCHEMA_VERSION } from './schema.ts';
import type { StopInfo } from './stop.ts';

/** Whether something could be measured, and if not, why. */
export type Availability =
  | {
      readonly ok: true;
      readonly detail?: string;
      /** Of each of its parts (cards) what can be read, and what would need which permission: a sentence each. */
      readonly parts?: readonly string[];
    }
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

/** What an imported allocation trace says of the allocator that wrote it. */
export interface AllocatorInfo {
  /** The format it came from: `torch-snapshot`. */
  source: string;
  /** Its settings; nested ones as `outer.inner`. */
  settings: Record<string, string | number | boolean | null>;
  /** Whether the ring buffer of events was full, so that older ones are lost; null: not told. */
  overflowed: boolean | null;
  maxEntries: number | null;
  /** Only these events of each device were loaded, `from` included and `to` not; null: all. */
  range: { from: number; to: number } | null;
}

/** A GPU, or a slice of one. */
export interface GpuCard {
  index: number;
  uuid: string;
  name: string;
  /** 0 where the driver does not tell. */
  memoryBytes: number;
  /** Of a slice: the card that it is cut from. */
  parent?: number;
  /** Cut into slices (MIG). */
  mig?: boolean;
  /** The number of its device file, /dev/nvidiaN, which need not be its index. */
  minor?: number;
  /** Why there are no figures of it. */
  reason?: string;
}

/** How GPUs were measured, and what tells which of them the workload used. */
export interface GpuMeasuring {
  /** Which way to the driver: `nvml`, `nvidia-smi` … (sources/gpu). */
  source: string;
  driver: string;
  /**
   * Whose the driver's process ids are: `ours`; `foreign`, another view's of the machine (a host's,
   * seen from its container); `none`: the driver names no processes.
   */
  processIds: 'ours' | 'foreign' | 'none';
  /** CUDA_VISIBLE_DEVICES, or its like, as the workload was started with; null: not set. */
  visible: string | null;
  /** CUDA_DEVICE_ORDER=PCI_BUS_ID: numbers in `visible` are the driver's. */
  pciOrder: boolean;
  /** Cards whose device file a process of the workload was seen to hold open; null: not looked for. */
  opened: number[] | null;
  /** What limits the meaning of the figures, as sentences. */
  notes: string[];
}

/** A snapshot of an allocator that a process of the workload left in the recording's folder. */
export interface SnapshotInfo {
  file: string;
  why: 'oom' | 'peak' | 'look' | 'end';
  /** When, in ns since the recording's start. */
  ns: number;
  pid: number;
  rank: number | null;
  /** The framework's number of the device. */
  device: number;
  asked: number | null;
  free: number | null;
  total: number | null;
}

/** The objects of a process at a moment, in a file of the recording. */
export interface HeapInfo {
  /** `heap/<n>/v8.heapsnapshot` or `heap/<n>/python.hwheap`. */
  file: string;
  /** When, in ns since the recording's start. */
  ns: number;
  pid: number;
  runtime: 'v8' | 'python';
  bytes: number;
}

/** One part of a look at a process; `error` says why it is not there. */
export interface LookPart {
  name: LookPartName;
  seconds: number;
  error?: string;
  /** Objects of the heap, tensors. */
  count?: number;
  bytes?: number;
  /** Entries of the allocator's history. */
  events?: number;
}

export const LOOK_PARTS = ['held', 'tensors', 'sizes', 'heap', 'allocator'] as const;
export type LookPartName = (typeof LOOK_PARTS)[number];

/** A look at a process that ran already (`highwater snapshot`): the recording has what it held at one moment. */
export interface LookInfo {
  pid: number;
  /** Field 22 of /proc/PID/stat, in ticks: tells two owners of one pid apart. */
  startTime: number;
  /** When, in ns since the recording's start. */
  ns: number;
  runtime: 'v8' | 'python';
  /** How the process was asked. */
  by: 'agent' | 'gdb' | 'sys.remote_exec' | 'inspector';
  /** How long the program stood still for it in all, the way in with it; null: not known. */
  pauseMs: number | null;
  parts: LookPart[];
}

/** What a batch system was asked for, as its variables in the recorder's environment tell; of this machine's part of the job. */
export interface AskedFor {
  by: 'slurm';
  /** The batch system's own number of the job; a launcher inside it may have another. */
  job: string;
  memoryBytes: number | null;
  /** Which of its variables told that; empty where none did. */
  memoryFrom: string;
  gpus: number | null;
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
  gpus: GpuCard[];
  /** Absent where no GPU was measured live. */
  gpu?: GpuMeasuring;
  /** Wall time of the recording's start, ISO 8601. */
  startedAt: string;
  /** null: the recording was cut off; a crashed run. */
  endedAt: string | null;
  rootPid: number | null;
  sampling: SamplingInfo;
  sources: ({ id: string } & Availability)[];
  /** The control group whose figures the `cgroup` table holds; `own` when it holds this workload only. */
  cgroup: {
    version: 1 | 2;
    own: boolean;
    limitBytes: number | null;
    /** What it may have of each region of device memory (dmem.max), bytes; those without a limit are absent. */
    deviceLimits?: Readonly<Record<string, number>>;
  } | null;
  /** Absent where no batch system told. */
  asked?: AskedFor;
  exit: ExitInfo | null;
  /** Nothing more could be written, though the workload went on; absent where all was. */
  stopped?: StopInfo;
  /** Rows that were let go because the disk was too slow for them; absent where there are none. */
  lostRows?: number;
  /** Of a copy: what could not be read of the recording it was made of, as sentences; absent where all could. */
  damage?: string[];
  /** The recording outgrew its size: of each such stretch of the older part only extremes are kept. */
  foldedSeconds: number | null;
  /** null: the recording has no allocation trace, or its source told nothing. */
  allocator: AllocatorInfo | null;
  /** Absent where there are none. */
  snapshots?: SnapshotInfo[];
  /** The figures of the first messages that memory ran out, in ns since the recording's start; absent where there are none. */
  outOfMemory?: ({ ns: number } & OomFigures)[];
  /** The last lines that a workload printed which failed; absent where it did not, or said nothing. */
  lastOutput?: string[];
  /** Frameworks whose loop took the steps, by id (`model/frameworks.ts`), as agents saw them; absent where none did. */
  frameworks?: string[];
  /** Files in /dev/shm that appeared while it ran and were there after it; absent where there are none. */
  leftInShm?: { pattern: string; files: number; bytes: number; seenBytes?: number }[];
  /** Absent where none were asked for (`record --heap`). */
  heaps?: HeapInfo[];
  /** Absent where it is no look at a process that ran already. */
  look?: LookInfo;
  /** rank, world size, launcher, restart … */
  labels: Record<string, string>;
  warnings: string[];
  /** `socket`: where agents of a process that ran already may speak, while it is recorded. */
  recorder: { version: string; pid: number; socket?: string };
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
    allocator: null,
    labels: {},
    warnings: [],
    recorder: { version: '', pid: 0 },
    ...fields,
  };
}
