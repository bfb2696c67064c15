import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Availability } from '../../../../model/run.ts';
import type { Sink } from '../../../source.ts';
import type { Card, GpuEvents, GpuFindings, GpuNow } from '../../backend.ts';
import { Polls } from './polls.ts';
import { findProgram } from './program.ts';
import { parseRow, queryArguments, type SmiRow } from './row.ts';

export { findProgram } from './program.ts';

/** NVIDIA's own program, where its library cannot be used: one child for the whole run. */
export const nvidiaSmiSource = {
  id: 'nvidia-smi',
  title: 'GPU memory (the program nvidia-smi)',
  probe(): Availability {
    const found = findProgram();
    if ('reason' in found) return { ok: false, reason: found.reason };
    const options = { encoding: 'utf8', timeout: 20_000 } as const;
    const { stdout, error } = spawnSync(found.path, queryArguments(0, false), options);
    if (error) return { ok: false, reason: `${found.path} cannot be run: ${error.message}` };
    const rows = stdout.split('\n').flatMap((line) => parseRow(line, false) ?? []);
    if (rows.length === 0) return { ok: false, reason: `${found.path} shows no GPU` };
    const cards = rows.map(({ index, name }) => `GPU ${index} ${name}`).join(', ');
    return { ok: true, detail: `driver ${rows[0]!.driver}: ${cards}` };
  },
};

export interface SmiOptions {
  readonly program: string;
  readonly intervalMs: number;
  /** ns since the recording's start. */
  readonly clock: () => number;
  readonly events: GpuEvents;
  /** Once: the cards of the first poll, or why there are none. */
  readonly onOpen: (findings: GpuFindings | { readonly reason: string }) => void;
}

const NOTES = ['nvidia-smi tells whole MiB, and not which process holds how much'];

/**
 * Reads what the program prints until it is stopped. The child has a session of its own, so that
 * Ctrl-C does not reach it; should we be killed, its next line meets a closed pipe and ends it.
 */
export class SmiWatch {
  readonly #options: SmiOptions;
  readonly #polls: Polls;
  #child: ChildProcessByStdio<null, Readable, null>;
  #withReserved = true;
  /** The first poll, while it comes in; null once it is told. */
  #first: SmiRow[] | null = [];
  #lastWords = '';
  #stopping = false;
  #ended: Promise<void>;

  constructor(sink: Sink, options: SmiOptions) {
    this.#options = options;
    this.#polls = new Polls(sink, options.clock);
    [this.#child, this.#ended] = this.#start();
  }

  get now(): GpuNow {
    return this.#polls.now;
  }

  /** Ends our own child, by its own pid. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#child.kill();
    const slow = setTimeout(() => this.#child.kill('SIGKILL'), 2000);
    await this.#ended;
    clearTimeout(slow);
  }

  #start(): [ChildProcessByStdio<null, Readable, null>, Promise<void>] {
    const { program, intervalMs } = this.#options;
    const child = spawn(program, queryArguments(intervalMs, this.#withReserved), {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
    const ended = new Promise<void>((resolve) => {
      let over = false;
      const end = (how: string) => {
        if (!over) this.#onEnd(how, resolve);
        over = true;
      };
      child.once('error', (error) => end(error.message));
      child.once('close', (code, signal) => end(`it ended with ${signal ?? `code ${code}`}`));
    });
    return [child, ended];
  }

  #take(line: string): void {
    const row = parseRow(line, this.#withReserved);
    if (!row) {
      this.#lastWords = line;
      return;
    }
    if (this.#first && this.#first.length > 0 && row.index <= this.#first.at(-1)!.index) {
      this.#tell(this.#first);
    }
    this.#first?.push(row);
    this.#polls.add(row);
  }

  #tell(rows: readonly SmiRow[]): void {
    this.#first = null;
    const cards: Card[] = rows.map(({ index, uuid, name, total, used }) => ({
      index,
      uuid,
      name,
      memoryBytes: total || 0,
      ...(Number.isNaN(used) && { reason: 'the driver tells no memory of it' }),
    }));
    const { driver } = rows[0]!;
    this.#options.onOpen({ cards, driver, tellsProcesses: false, notes: NOTES });
  }

  #onEnd(how: string, resolve: () => void): void {
    const words = this.#lastWords ? `${how} (${this.#lastWords})` : how;
    if (this.#stopping) resolve();
    else if (!this.#first) {
      this.#options.events.onWarning(
        `nvidia-smi does not go on: ${words}; GPU memory is unknown from then on`,
      );
      resolve();
    } else if (this.#withReserved && this.#first.length === 0) {
      this.#withReserved = false; // an older program
      [this.#child, this.#ended] = this.#start();
      void this.#ended.then(resolve);
    } else {
      this.#first = null;
      this.#options.onOpen({ reason: `nvidia-smi: ${words}` });
      resolve();
    }
  }
}
