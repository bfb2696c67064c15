import type { EngineText } from './engine-plan.ts';

/** What ran out: a GPU, the machine (or its container), a heap with a limit, or /dev/shm. */
export type OomPlace = 'gpu' | 'host' | 'heap' | 'shm';

/** The figures of an out-of-memory message, in bytes; absent where it does not say. */
export interface OomFigures {
  /** Whose message it is: torch, jax, tensorflow, vllm, llama.cpp, v8, java, python, numpy, c++, system, kernel, slurm … */
  readonly source: string;
  readonly place: OomPlace;
  readonly gpu?: number;
  /** What could not be allocated. */
  readonly asked?: number;
  readonly total?: number;
  readonly free?: number;
  /** In use by the process, with what the framework does not manage. */
  readonly process?: number;
  readonly allocated?: number;
  /** Held by the framework beside `allocated`: large where memory is in pieces. */
  readonly reservedUnused?: number;
  /** Of `reservedUnused` or `allocated`: in pools that only CUDA graphs may use. */
  readonly graphPools?: number;
  /** Held by processes that are not this one. */
  readonly others?: number;
  /** What process, container, job or heap may have; of a device, where that is less than all of it. */
  readonly limit?: number;
  /** Whose limit it is: `a fraction set in torch`, `control group`, `Slurm`; absent: not said. */
  readonly limitOf?: string;
  /** All of the machine's memory was used up, by the kernel's own word. */
  readonly machineFull?: true;
  /** It was killed from outside, and nothing says that memory was why. */
  readonly unexplained?: true;
  readonly shape?: string;
  readonly pid?: number;
  /** Whose functions are in the traceback above it, by id (`model/frameworks.ts`). */
  readonly frameworks?: readonly string[];
}

/** A buffer of a program that XLA compiled, as it lists the largest. */
export interface XlaBuffer {
  readonly bytes: number;
  readonly shape?: string;
  /** `parameter`, or the compiler's word for it. */
  readonly what?: string;
  /** The operation that makes it, and where that is written. */
  readonly operation?: string;
  readonly file?: string;
  readonly line?: number;
}

/** What XLA says that a program needs which did not fit, in bytes; absent where it does not say. */
export interface XlaProgram {
  readonly parameters?: number;
  readonly constants?: number;
  readonly outputs?: number;
  readonly temporaries?: number;
  /** All of them, less what outputs share with parameters. */
  readonly total?: number;
  /** Of `total`: lost between buffers. */
  readonly fragmentation?: number;
  /** The largest, as listed. */
  readonly buffers: readonly XlaBuffer[];
}

/** One time that memory ran out, as a text tells it; said again with the same figures it is still one. */
export interface OomEvent extends OomFigures {
  /** Where it is said first, from 1. */
  readonly line: number;
  /** How often it is said. */
  readonly times: number;
  /** The line as it stands there, without what a terminal would do with it. */
  readonly text: string;
  readonly rank?: number;
  /** Of XLA: the program that was to run. */
  readonly program?: XlaProgram;
}

/** What a log or a pasted traceback says about memory that ran out. */
export interface CrashText {
  readonly name: string;
  readonly lines: number;
  /** The last line that belongs to one of the events. */
  readonly told: number;
  readonly events: readonly OomEvent[];
  /** Events beyond those that are kept. */
  readonly dropped: number;
  /** What engines that serve models say of their memory in it; null: none speaks. */
  readonly engines: EngineText | null;
}

/** What ran out, in words: `GPU 1 (torch)`. */
export function placeName({ place, gpu, source }: OomFigures): string {
  // Ours, but a recording may come from anywhere.
  const whose = /^[\w.+-]{1,24}$/.test(source) ? source : 'a program';
  switch (place) {
    case 'gpu':
      return `${gpu === undefined ? 'the GPU' : `GPU ${gpu}`} (${whose})`;
    case 'host':
      return `the host (${whose})`;
    case 'heap':
      return source === 'v8' ? 'the JavaScript heap' : `the heap (${whose})`;
    case 'shm':
      return 'shared memory (/dev/shm)';
  }
}
