import { join } from 'node:path';
import { compare } from '../../../analyses/compare/index.ts';
import { formatMiB } from '../../../base/bytes.ts';
import { describeError } from '../../../base/errors.ts';
import { count, ellipsize, printable } from '../../../base/text.ts';
import { formatDuration } from '../../../base/time.ts';
import { folderFiles } from '../../../model/disk/files.ts';
import { openRecording } from '../../../model/disk/reader.ts';
import type { SweepFolder } from '../../../sweep/folder.ts';
import { combinationName } from '../../../sweep/grid.ts';
import type { ManifestRun } from '../../../sweep/manifest.ts';
import type { SweepListener } from '../../../sweep/session.ts';
import { type FinishedRun, secondsLeft } from '../../../sweep/time-left.ts';

const REDRAW_MS = 500;
const ERASE = '\r\x1b[2K';

export interface ProgressOptions {
  readonly stream: NodeJS.WriteStream;
  /** The commands' output is seen already: there are no logs, and no line is redrawn in between. */
  readonly showOutput: boolean;
  readonly quiet: boolean;
}

/** How far a sweep is and how long it will take, from what the runs before took. */
export class SweepProgress implements SweepListener {
  readonly #sweep: SweepFolder;
  readonly #options: ProgressOptions;
  readonly #live: boolean;
  #total = 0;
  #took: FinishedRun[] = [];
  /** By the recording's name, as all that follow. */
  #left = new Map<string, ManifestRun>();
  readonly #begun = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #drawn = false;

  constructor(sweep: SweepFolder, options: ProgressOptions) {
    this.#sweep = sweep;
    this.#options = options;
    this.#live = options.stream.isTTY === true && !options.quiet && !options.showOutput;
  }

  sweepBegan(all: readonly ManifestRun[], todo: readonly ManifestRun[]): void {
    this.#total = all.length;
    this.#left = new Map(todo.map((run) => [run.recording, run]));
    this.#took = all.flatMap((run) =>
      run.wallSeconds === null ? [] : [{ combination: nameOf(run), seconds: run.wallSeconds }],
    );
    if (this.#live) this.#timer = setInterval(() => this.#draw(), REDRAW_MS).unref();
    const { continued, jobs } = this.#sweep;
    if (continued)
      this.#say(`highwater: ${all.length - todo.length} of ${all.length} runs are there already`);
    if (jobs > 1 && todo.length > 1) {
      this.#say(
        `highwater: ${jobs} runs side by side: figures of the whole machine or of a GPU will belong to none of them alone`,
      );
    }
  }

  runBegan(run: ManifestRun): void {
    this.#begun.set(run.recording, performance.now());
    if (this.#live) this.#draw();
  }

  runEnded(run: ManifestRun): void {
    this.#begun.delete(run.recording);
    this.#left.delete(run.recording);
    this.#took.push({ combination: nameOf(run), seconds: run.wallSeconds ?? 0 });
    const text = runWords(this.#sweep.folder, run, !this.#options.showOutput);
    const left = this.#left.size > 0 ? `; ${this.#timeLeft()}` : '';
    this.#say(`[${this.#total - this.#left.size}/${this.#total}] ${titleOf(run)}: ${text}${left}`);
  }

  runInterrupted(run: ManifestRun): void {
    this.#say(`${nameOf(run)}: interrupted`);
  }

  runsOver(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#erase();
  }

  #say(line: string): void {
    if (this.#options.quiet) return;
    this.#erase();
    this.#options.stream.write(`${line}\n`);
  }

  #timeLeft(): string {
    const left = [...this.#left.values()].map((run) => ({
      combination: nameOf(run),
      spent: this.#spent(run),
    }));
    const seconds = secondsLeft(this.#took, left, this.#sweep.jobs);
    if (seconds === null) return `${count(left.length, 'run')} left`;
    return `about ${wholeSeconds(Math.max(1, Math.ceil(seconds)))} left`;
  }

  #spent(run: ManifestRun): number {
    const since = this.#begun.get(run.recording);
    return since === undefined ? 0 : (performance.now() - since) / 1000;
  }

  #draw(): void {
    const running = [...this.#begun.keys()].map((name) => {
      const run = this.#left.get(name)!;
      return `${titleOf(run)} ${wholeSeconds(Math.floor(this.#spent(run)))}`;
    });
    if (running.length === 0) return;
    const at = `[${this.#total - this.#left.size + 1}/${this.#total}]`;
    const line = `${at} ${running.join(', ')} · ${this.#timeLeft()}`;
    const width = (this.#options.stream.columns || 80) - 1;
    this.#options.stream.write(`${ERASE}\x1b[2m${ellipsize(line, width)}\x1b[0m`);
    this.#drawn = true;
  }

  #erase(): void {
    if (this.#drawn) this.#options.stream.write(ERASE);
    this.#drawn = false;
  }
}

/** An estimate does not deserve hundredths. */
const wholeSeconds = (seconds: number) =>
  seconds < 100 ? `${seconds} s` : formatDuration(seconds);

const nameOf = (run: ManifestRun) => combinationName(run.combination);

const titleOf = (run: ManifestRun) =>
  ellipsize(printable(nameOf(run)), 60) + (run.repeat > 1 ? ` #${run.repeat}` : '');

/** How a run went, for its line of progress. */
function runWords(folder: string, run: ManifestRun, hasLog: boolean): string {
  if (run.state === 'failed') {
    return `failed, ${run.reason}${hasLog ? ` (see ${join(folder, run.log)})` : ''}`;
  }
  try {
    const recording = openRecording(folderFiles(join(folder, run.recording)));
    const [one] = compare([{ name: run.recording, recording }]).runs;
    if (!one) return 'done, too short for a sample';
    return `peak ${formatMiB(one.peakBytes)}, ${formatDuration(one.durationSeconds)}`;
  } catch (error) {
    // The table at the end tells the same; a sweep does not stop for a line of progress.
    return `done, but ${describeError(error)}`;
  }
}
