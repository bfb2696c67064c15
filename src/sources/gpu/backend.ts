import type { Availability, GpuCard, GpuMeasuring } from '../../model/run.ts';
import type { Machine, Sink, Tick } from '../source.ts';

/**
 * A way to the memory of graphics cards: a driver's library, a program, the kernel's files. A vendor is a folder with
 * one or more of them; all else (the flag `--gpu`, the recording's plan and thread, `doctor`) derives from the list in
 * `index.ts`.
 */
export interface GpuBackend {
  /** What `--gpu`, `doctor` and run.json (`gpu.source`) call it. */
  readonly id: string;
  /** What it measures, in the line of `doctor`. */
  readonly title: string;
  /** In the recording's list of sources, before the driver's version. */
  readonly name: string;
  /** In the help of `--gpu`: GPU memory by … */
  readonly means: string;
  /** Where it is on this machine, by looking at files only: asked before a run starts, so it may neither wait nor load. */
  locate(machine: Machine): Located;
  /** Asks the driver itself, which may take seconds. */
  probe(machine: Machine): Availability;
  /** Called in the GPU thread, where one may wait. Throws with the reason in plain words. */
  open(path: string, session: GpuSession): GpuReader | Promise<GpuReader>;
  /** Which cards the workload may see, by its environment; written as CUDA does: numbers, beginnings of UUIDs. */
  visible(
    environment: Readonly<Record<string, string | undefined>>,
  ): Pick<GpuMeasuring, 'visible' | 'pciOrder'>;
  /** Indices of the cards whose device files a process holds open; null where these cards have none to tell them by. */
  heldOpen(machine: Machine, pid: number, cards: readonly GpuCard[]): readonly number[] | null;
}

/** The library, program or folder of a backend, or why there is none. */
export type Located = { readonly path: string } | { readonly reason: string };

/** What a backend is opened with. */
export interface GpuSession {
  readonly machine: Machine;
  readonly sink: Sink;
  readonly rateHz: number;
  /** The index of its first card, where those of another backend come before; absent: 0. */
  readonly firstIndex?: number;
  /** ns since the recording's start. */
  readonly clock: () => number;
  readonly events: GpuEvents;
  /** The run is over, perhaps while the backend is still being opened. */
  readonly stopped: AbortSignal;
}

export interface GpuEvents {
  /** Something went wrong midway; said once for each thing. */
  onWarning(text: string): void;
  /** A process id that the driver had not named before. */
  onHolder(pid: number): void;
}

/** An opened backend: puts each card's memory, and who holds it, into the tables. */
export interface GpuReader {
  readonly findings: GpuFindings;
  readonly now: GpuNow;
  /** Reads all cards; absent where they come at a pace of their own (a program that prints). */
  sample?(tick: Tick): void;
  close(): void | Promise<void>;
}

/** What was found when a backend was opened. */
export interface GpuFindings {
  /** At least one; those that cannot be measured have a reason. */
  readonly cards: readonly GpuCard[];
  readonly driver: string;
  /** Whether the driver lists the processes on its cards at all. */
  readonly tellsProcesses: boolean;
  /** What limits the meaning of the figures, as sentences. */
  readonly notes: readonly string[];
}

/** The first and the newest figure of each card, by its index, for the live line. NaN: not known. */
export interface GpuNow {
  readonly first: Float64Array;
  readonly used: Float64Array;
}

/** One card's memory, in bytes; NaN where the driver does not tell. */
export interface CardMemory {
  used: number;
  reserved: number;
  free: number;
  total: number;
}
