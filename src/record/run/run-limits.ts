import { formatBytes } from '../../base/bytes.ts';
import { formatDuration } from '../../base/time.ts';
import type { MarkIntake } from '../agents/mark-intake.ts';
import type { LivingProcesses } from '../workload/living-processes.ts';
import type { SessionOptions } from './options.ts';
import type { RunFile } from './run-file.ts';

/** `--duration`, `--stop-after` and the memory limits: the first that is reached ends the workload, and is noted. */
export class RunLimits {
  readonly #options: SessionOptions;
  readonly #processes: LivingProcesses;
  readonly #runFile: RunFile;
  readonly #marks: MarkIntake;
  #timer: NodeJS.Timeout | undefined;
  /** Why, if it came to that. */
  why: string | null = null;

  constructor(
    options: SessionOptions,
    processes: LivingProcesses,
    runFile: RunFile,
    marks: MarkIntake,
  ) {
    this.#options = options;
    this.#processes = processes;
    this.#runFile = runFile;
    this.#marks = marks;
  }

  /** `--duration` counts from now on. */
  startDuration(): void {
    const { durationSeconds } = this.#options;
    if (durationSeconds === null) return;
    const why = `--duration ${formatDuration(durationSeconds)} is over`;
    this.#timer = setTimeout(() => this.#end(why), durationSeconds * 1000);
  }

  /** The workload ended by itself. */
  stopDuration(): void {
    clearTimeout(this.#timer);
  }

  onIterations(done: number): void {
    const { stopAfter } = this.#options;
    if (stopAfter === null || done < stopAfter) return;
    this.#end(`--stop-after ${stopAfter}: ${done} iterations are done`);
  }

  onLimit(what: 'memory' | 'swap', bytes: number): void {
    const { memoryLimit, swapLimit } = this.#options;
    const limit = (what === 'memory' ? memoryLimit : swapLimit) ?? 0;
    const verb = what === 'memory' ? 'held' : 'swapped out';
    this.#end(`--${what}-limit ${formatBytes(limit)} exceeded: ${formatBytes(bytes)} ${verb}`);
  }

  #end(why: string): void {
    if (this.why !== null) return;
    this.why = why;
    this.#runFile.warn(`${why}: ending the workload`);
    this.#marks.add('note', why, null);
    void this.#processes.end();
  }
}
