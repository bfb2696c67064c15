import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { GpuCard } from '../../../../model/run.ts';
import type { GpuFindings, GpuNow, GpuReader, GpuSession } from '../../backend.ts';
import { CardTable } from '../../card-table.ts';
import { parseRow, queryArguments, type SmiRow } from './row.ts';

const NOTES = ['nvidia-smi tells whole MiB, and not which process holds how much'];

/**
 * Reads what the program prints until it is stopped. The child has a session of its own, so that
 * Ctrl-C does not reach it; should we be killed, its next line meets a closed pipe and ends it.
 */
export class SmiReader {
  readonly #program: string;
  readonly #session: GpuSession;
  readonly #polls: Polls;
  #child: ChildProcessByStdio<null, Readable, null>;
  #withReserved = true;
  /** The first poll, while it comes in; null once it is told. */
  #first: SmiRow[] | null = [];
  #lastLine = '';
  #stopping = false;
  #ended: Promise<void>;
  #onFound: (findings: GpuFindings) => void = () => {};
  #onFailure: (error: Error) => void = () => {};

  /** Resolves with the second poll, which shows that the first is whole: all cards are known then. */
  static open(program: string, session: GpuSession): Promise<GpuReader> {
    return new Promise((resolve, reject) => {
      const reader = new SmiReader(program, session);
      const close = () => reader.#stop();
      session.stopped.addEventListener('abort', close, { once: true });
      reader.#onFound = (findings) => resolve({ findings, now: reader.#polls.now, close });
      reader.#onFailure = reject;
    });
  }

  private constructor(program: string, session: GpuSession) {
    this.#program = program;
    this.#session = session;
    this.#polls = new Polls(session);
    [this.#child, this.#ended] = this.#start();
  }

  /** Ends our own child, by its own pid. */
  async #stop(): Promise<void> {
    this.#stopping = true;
    this.#child.kill();
    const slow = setTimeout(() => this.#child.kill('SIGKILL'), 2000);
    await this.#ended;
    clearTimeout(slow);
  }

  #start(): [ChildProcessByStdio<null, Readable, null>, Promise<void>] {
    const intervalMs = Math.max(1, Math.round(1000 / this.#session.rateHz));
    const child = spawn(this.#program, queryArguments(intervalMs, this.#withReserved), {
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
      this.#lastLine = line;
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
    const cards: GpuCard[] = rows.map(({ index, uuid, name, total, used }) => ({
      index,
      uuid,
      name,
      memoryBytes: total || 0,
      ...(Number.isNaN(used) && { reason: 'the driver tells no memory of it' }),
    }));
    const { driver } = rows[0]!;
    this.#onFound({ cards, driver, tellsProcesses: false, notes: NOTES });
  }

  #onEnd(how: string, resolve: () => void): void {
    const why = this.#lastLine ? `${how} (${this.#lastLine})` : how;
    if (!this.#stopping && this.#first?.length === 0 && this.#withReserved) {
      this.#withReserved = false; // an older program
      [this.#child, this.#ended] = this.#start();
      void this.#ended.then(resolve);
      return;
    }
    if (this.#first) this.#onFailure(new Error(`nvidia-smi: ${why}`));
    else if (!this.#stopping) {
      this.#session.events.onWarning(
        `nvidia-smi does not go on: ${why}; GPU memory is unknown from then on`,
      );
    }
    this.#first = null;
    resolve();
  }
}

/** More cards than any machine has. */
const MOST_CARDS = 256;

/** Puts the program's rows into the table; those of one poll share one time. */
class Polls {
  readonly #table: CardTable;
  readonly #clock: () => number;
  readonly #wallOffsetNs: number;
  #lastIndex = Number.POSITIVE_INFINITY;
  #time = 0;

  constructor({ sink, clock }: Pick<GpuSession, 'sink' | 'clock'>) {
    this.#table = new CardTable(sink, MOST_CARDS);
    this.#clock = clock;
    this.#wallOffsetNs = clock() - Date.now() * 1e6;
  }

  get now(): GpuNow {
    return this.#table.now;
  }

  add(row: SmiRow): void {
    if (row.index >= MOST_CARDS) return;
    if (row.index <= this.#lastIndex) this.#time = this.#timeOf(row);
    this.#lastIndex = row.index;
    this.#table.add(this.#time, row.index, row);
  }

  /**
   * When it was read: lines may wait in a buffer on their way, so the program's own stamp counts,
   * as long as the wall clock was not moved: time neither goes back nor runs ahead of now.
   */
  #timeOf({ wallMs }: SmiRow): number {
    const arrived = this.#clock();
    const stamped = wallMs * 1e6 + this.#wallOffsetNs;
    const time = Number.isNaN(stamped) ? arrived : Math.round(Math.min(stamped, arrived));
    return Math.max(time, this.#time);
  }
}
