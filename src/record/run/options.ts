import type { RunInfo } from '../../model/run.ts';
import type { GpuChoice } from '../threads/gpu-plan.ts';

/**
 * Whether programs are looked at from inside, where they are such as can be; `stacks`: with the
 * Python stack of every CUDA allocation, which costs more than a default may.
 */
export const AGENT_CHOICES = ['auto', 'stacks', 'off'] as const;
export type AgentChoice = (typeof AGENT_CHOICES)[number];

/** What is done with a process that ran already while it is recorded. */
export interface Meanwhile {
  readonly folder: string;
  /** Where it may tell what it holds; null: there is no socket. */
  readonly socket: string | null;
  readonly run: RunInfo;
  /** ns since the recording's start. */
  now(): number;
  /** The same of a time of CLOCK_MONOTONIC, in ns. */
  since(time: number): number;
  /** Work in a fork of it, which shares its pages. */
  beside<T>(pid: number, work: () => Promise<T>): Promise<T>;
}

export interface SessionOptions {
  /** Empty: record `pid`, or the bare host. */
  readonly argv: readonly string[];
  readonly pid: number | null;
  readonly out: string | null;
  readonly name: string | null;
  readonly rateHz: number;
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
  readonly durationSeconds: number | null;
  readonly memoryLimit: number | null;
  readonly swapLimit: number | null;
  readonly maxDisk: number;
  readonly resetPeaks: boolean;
  /** How to read GPU memory (default: auto). */
  readonly gpu?: GpuChoice;
  /** Whether Python programs are looked at from inside (default: auto). */
  readonly agent?: AgentChoice;
  /** Follow the layers of models in Python programs. */
  readonly layers?: boolean;
  /** Hold torch to what it would have on a card of so many bytes. */
  readonly gpuLimit?: number | null;
  /** When Python and Node programs tell their sizes: `exit` or `iteration=5`. */
  readonly sizes?: string | null;
  /** Where metrics are pushed to, and how often, in seconds (default: 15); HIGHWATER_PUSH where it is null. */
  readonly push?: string | null;
  readonly pushEvery?: number;
  /** The address at which they can be asked for: `:9400`. */
  readonly expose?: string | null;
  /** A file that has the newest of them, for node_exporter. */
  readonly textfile?: string | null;
  /** Told where the recording is, once it is there. */
  readonly onFolder?: (folder: string) => void;
  /** How many heaps of the workload to take. */
  readonly heaps?: number | null;
  readonly watch: boolean;
  /** Whether an engine that says where it answers HTTP is asked there for /metrics (default: yes). */
  readonly engineMetrics?: boolean;
  /** Takes the workload's output, which then does not go to our own streams; its input is empty. */
  readonly onOutput?: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  readonly quiet: boolean;
  readonly force: boolean;
  /** Where what was asked for cannot be had (the folder, the card), nothing is run; else the next best is taken, and said. */
  readonly strict: boolean;
  /** The command runs. */
  readonly onStart?: () => void;
  /** Patterns of the user's own that make marks of lines. */
  readonly markPatterns: readonly RegExp[];
  /** A log that the workload writes by itself. */
  readonly logFile: string | null;
  /** End the workload after so many iterations. */
  readonly stopAfter: number | null;
  /** With `pid`: begins once the process is sampled, and the recording ends with it. Where it fails, so does the recording. Comes with the moment that it is of: no sample of a later one is kept. */
  readonly meanwhile?: (place: Meanwhile) => Promise<number>;
  /** One line for the user, on stderr. */
  readonly say: (line: string) => void;
}

export interface SessionResult {
  readonly folder: string;
  readonly exitCode: number;
  /** Why the recording ends before the workload does, if it does. */
  readonly writeFailure: string | null;
}
