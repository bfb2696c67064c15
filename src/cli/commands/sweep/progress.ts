import { count, ellipsize, printable } from '../../../base/text.ts';
import { formatDuration } from '../../../base/time.ts';
import { combinationName } from '../../../sweep/grid.ts';
import type { RunEntry } from '../../../sweep/manifest.ts';
import { secondsLeft, type Took } from '../../../sweep/time-left.ts';

const REDRAW_MS = 500;
const ERASE = '\r\x1b[2K';

export interface ProgressOptions {
  readonly stream: NodeJS.WriteStream;
  readonly jobs: number;
  /** A line that is redrawn; only where nothing else writes to the terminal. */
  readonly live: boolean;
  readonly quiet: boolean;
}

/** How far a sweep is and how long it will take, from what the runs before took. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #total: number;
  readonly #took: Took[];
  /** By the recording's name, as all that follow. */
  readonly #left: Map<string, RunEntry>;
  readonly #begun = new Map<string, number>();
  readonly #timer: NodeJS.Timeout | null;
  #drawn = false;

  /** `runs` are all of the sweep; `todo` of them are still to do. */
  constructor(runs: readonly RunEntry[], todo: readonly RunEntry[], options: ProgressOptions) {
    this.#options = options;
    this.#total = runs.length;
    this.#left = new Map(todo.map((run) => [run.recording, run]));
    this.#took = runs.flatMap((run) =>
      run.wallSeconds === null ? [] : [{ combination: nameOf(run), seconds: run.wallSeconds }],
    );
    this.#timer = options.live ? setInterval(() => this.#draw(), REDRAW_MS) : null;
    this.#timer?.unref();
  }

  begin(run: RunEntry): void {
    this.#begun.set(run.recording, performance.now());
    if (this.#options.live) this.#draw();
  }

  /** `text` says how the run went. */
  end(run: RunEntry, seconds: number, text: string): void {
    this.#begun.delete(run.recording);
    this.#left.delete(run.recording);
    this.#took.push({ combination: nameOf(run), seconds });
    const left = this.#left.size > 0 ? `; ${this.#timeLeft()}` : '';
    this.say(`[${this.#total - this.#left.size}/${this.#total}] ${titleOf(run)}: ${text}${left}`);
  }

  say(line: string): void {
    if (this.#options.quiet) return;
    this.#erase();
    this.#options.stream.write(`${line}\n`);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#erase();
  }

  #timeLeft(): string {
    const left = [...this.#left.values()].map((run) => ({
      combination: nameOf(run),
      spent: this.#spent(run),
    }));
    const seconds = secondsLeft(this.#took, left, this.#options.jobs);
    if (seconds === null) return `${count(left.length, 'run')} left`;
    return `about ${wholeSeconds(Math.max(1, Math.ceil(seconds)))} left`;
  }

  #spent(run: RunEntry): number {
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

/** Nobody can tell the future to the hundredth. */
const wholeSeconds = (seconds: number) =>
  seconds < 100 ? `${seconds} s` : formatDuration(seconds);

const nameOf = (run: RunEntry) => combinationName(run.combination);

const titleOf = (run: RunEntry) =>
  ellipsize(printable(nameOf(run)), 60) + (run.repeat > 1 ? ` #${run.repeat}` : '');
