import { GiB, MiB } from '../base/bytes.ts';
import { UserError } from '../base/errors.ts';
import type { AgentChoice, SessionOptions as EngineOptions } from '../record/run/options.ts';
import type { GpuChoice } from '../record/threads/gpu-plan.ts';
import { type OpenedRecording, open } from './open.ts';

/** How a command is recorded; docs/record.md explains each under the flag of the same name. Sizes are in bytes. */
export interface RecordOptions {
  /** The recording's folder (default: `highwater-runs/<name>-<date>-<host>-<pid>.hw`). */
  readonly out?: string;
  /** Replace a recording that is there already. */
  readonly force?: boolean;
  /** Name of the run (default: the script or program). */
  readonly name?: string;
  /** Samples a second, 1 to 1000 (default: 100). */
  readonly rateHz?: number;
  /** How long to watch before the command starts (default: 1). */
  readonly beforeSeconds?: number;
  /** How long to watch after it ended (default: 1). */
  readonly afterSeconds?: number;
  /** End the command after this time. */
  readonly durationSeconds?: number;
  /** End the command after so many iterations. */
  readonly stopAfter?: number;
  /** End the command when it holds more. */
  readonly memoryLimit?: number;
  /** End the command when more of it is swapped out. */
  readonly swapLimit?: number;
  /** Size of the recording at most (default: 1 GiB). */
  readonly maxDisk?: number;
  /** Reset the kernel's high-water marks at each sample. */
  readonly exactPeaks?: boolean;
  /** How GPU memory is read (default: `auto`). */
  readonly gpu?: GpuChoice;
  /** Whether Python programs are looked at from inside (default: `auto`). */
  readonly agent?: AgentChoice;
  /** Follow the layers of torch models. */
  readonly layers?: boolean;
  /** Hold torch to a card of this size. */
  readonly gpuLimit?: number;
  /** When Python and Node programs tell their sizes. */
  readonly sizes?: 'exit' | `iteration=${number}`;
  /** How many heaps of a Node or Python program to take, spread over the run. */
  readonly heaps?: number;
  /** Regular expressions, as `--mark` takes them: lines of output that match become marks. */
  readonly marks?: readonly string[];
  /** A log that the command writes by itself, in which to look for iterations too. */
  readonly logFile?: string;
  /**
   * Where the command's output goes, which is looked through for iterations in any case: nowhere (`ignore`, the
   * default), to this program's own streams (`inherit`, which also hands its input down), or to a function.
   */
  readonly output?: 'ignore' | 'inherit' | ((chunk: Buffer, stream: 'stdout' | 'stderr') => void);
  /** Told in one line what the recorder would print on a terminal, such as a warning (default: nobody). */
  readonly onMessage?: (line: string) => void;
}

/** A command that was recorded. */
export interface RecordedCommand {
  /** The recording's folder. */
  readonly path: string;
  /** The command's exit code; where a signal ended it 128 and the signal's number, as in a shell. */
  readonly exitCode: number;
  /** Why the recording ends before the command did, such as a full disk; null: it does not. */
  readonly incomplete: string | null;
  /** Opens the recording. */
  open(): Promise<OpenedRecording>;
}

/**
 * Runs a command, given as its words, and records its memory. A command that fails is a result; one that
 * cannot be started, and options that cannot be meant, are a UserError. While it runs, signals that end a
 * program are handed on to the command instead.
 */
export async function record(
  command: readonly string[],
  options: RecordOptions = {},
): Promise<RecordedCommand> {
  check(command, options);
  // Loaded when first used: most programs import this package for a mark or two.
  const [{ record: run }, { parseMarkPattern }] = await Promise.all([
    import('../record/run/session.ts'),
    import('../formats/log-lines/index.ts'),
  ]);
  const markPatterns = (options.marks ?? []).map(parseMarkPattern);
  const asked = { ...engineOptions(command, options), markPatterns };
  const { folder, exitCode, writeFailure } = await run(asked);
  return {
    path: folder,
    exitCode,
    incomplete: writeFailure,
    open: async () => (await open(folder)) as OpenedRecording,
  };
}

function engineOptions(
  argv: readonly string[],
  options: RecordOptions,
): Omit<EngineOptions, 'markPatterns'> {
  const { output = 'ignore', onMessage = () => {} } = options;
  return {
    argv,
    pid: null,
    out: options.out ?? null,
    force: options.force ?? false,
    strict: true,
    name: options.name ?? null,
    rateHz: options.rateHz ?? 100,
    beforeSeconds: options.beforeSeconds ?? 1,
    afterSeconds: options.afterSeconds ?? 1,
    durationSeconds: options.durationSeconds ?? null,
    stopAfter: options.stopAfter ?? null,
    memoryLimit: options.memoryLimit ?? null,
    swapLimit: options.swapLimit ?? null,
    maxDisk: Math.max(options.maxDisk ?? GiB, MiB),
    resetPeaks: options.exactPeaks ?? false,
    gpu: options.gpu ?? 'auto',
    agent: options.agent ?? 'auto',
    layers: options.layers ?? false,
    gpuLimit: options.gpuLimit ?? null,
    sizes: options.sizes ?? null,
    heaps: options.heaps ?? null,
    logFile: options.logFile ?? null,
    watch: true,
    quiet: true,
    ...(output !== 'inherit' && { onOutput: output === 'ignore' ? () => {} : output }),
    say: onMessage,
  };
}

/** The lowest and the highest that each number may be. */
const RANGES = {
  rateHz: [1, 1000],
  beforeSeconds: [0, Number.MAX_VALUE],
  afterSeconds: [0, Number.MAX_VALUE],
  durationSeconds: [0.01, 1e9],
  stopAfter: [1, 1e12],
  memoryLimit: [1, Number.MAX_VALUE],
  swapLimit: [1, Number.MAX_VALUE],
  maxDisk: [1, Number.MAX_VALUE],
  gpuLimit: [512 * MiB, Number.MAX_VALUE],
  heaps: [1, 1000],
} as const satisfies { readonly [K in keyof RecordOptions]?: readonly [number, number] };

/** What a program without types may hand over, before anything is started. */
function check(command: readonly string[], options: RecordOptions): void {
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) {
    throw new UserError('the command is not a list of words', {
      hint: "write it as ['python', 'train.py']",
    });
  }
  if (command.length === 0) throw new UserError('there is no command to record');
  for (const [name, [low, high]] of Object.entries(RANGES)) {
    const value = options[name as keyof typeof RANGES];
    if (value === undefined || (typeof value === 'number' && value >= low && value <= high))
      continue;
    const limits = high === Number.MAX_VALUE ? `at least ${low}` : `${low} to ${high}`;
    throw new UserError(`${name} cannot be ${value}`, { hint: `a number, ${limits}` });
  }
  // It becomes part of a file's name.
  if (options.name !== undefined && !/^(?!\.)[\w.@%+=:,-]{1,100}$/.test(options.name)) {
    throw new UserError(`'${options.name}' cannot be a name`, {
      hint: 'use letters, digits, . _ - + = , @',
    });
  }
  if (options.agent === 'off' && (options.layers || options.gpuLimit || options.sizes)) {
    throw new UserError("layers, gpuLimit and sizes need the agent: leave agent: 'off' out");
  }
}
