import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import { BulkRelay } from './bulk-relay.ts';
import { type Libc, loadLibc } from './libc.ts';
import { FallbackRelay, type Outlet, type OutputListener, Relay } from './relay.ts';
import { forwardTyping, inForeground, planStreams, type StreamPlan } from './stream-plan.ts';

interface Terminal {
  readonly master: number;
  readonly path: string;
}

/** All that connects the workload's standard streams to ours, from before it starts to after it ended. */
export class WorkloadStreams {
  readonly #libc: Libc | null;
  readonly #plan: StreamPlan;
  readonly #terminal: Terminal | null;
  /** Real pipes for output that goes to neither a terminal nor a file. */
  readonly #pipes = new Map<1 | 2, { readEnd: number; writeEnd: number }>();
  readonly #relays: Relay[] = [];
  readonly #undo: (() => void)[] = [];
  #fallback: FallbackRelay | null = null;

  readonly #taken: boolean;

  /** `taken`: the listener gets the output, and nothing of it goes to our own streams. */
  constructor(watch: boolean, taken: boolean) {
    this.#taken = taken;
    this.#libc = watch || taken ? loadLibc() : null;
    this.#plan = planStreams(watch, this.#libc !== null, taken);
    this.#terminal = this.#openTerminal();
    for (const fd of [1, 2] as const) {
      if (this.#connection(fd) !== 'pipe' || !this.#libc) continue;
      if (fd === 2 && this.#plan.joined) continue;
      const [readEnd, writeEnd] = this.#libc.pipe();
      this.#pipes.set(fd, { readEnd, writeEnd });
    }
  }

  /** The path of the terminal that the workload opens for itself, and the streams it is for. */
  get terminal(): { path: string; streams: string } | null {
    if (!this.#terminal) return null;
    const { stdin, stdout, stderr } = this.#plan;
    const streams = [stdin, stdout, stderr].map((c, fd) => (c === 'terminal' ? fd : '')).join('');
    return { path: this.#terminal.path, streams };
  }

  /** What to spawn the workload with. */
  get stdio(): StdioOptions {
    const output = (fd: 1 | 2) => {
      const connection = this.#connection(fd);
      const from = this.#plan.joined ? 1 : fd;
      if (connection === 'pipe') return this.#pipes.get(from)?.writeEnd ?? 'pipe';
      return connection === 'terminal' ? 'ignore' : 'inherit';
    };
    return [this.#plan.stdin === 'untouched' ? 'inherit' : 'ignore', output(1), output(2)];
  }

  /** Begins to pass things on, once the workload runs. */
  connect(child: ChildProcess, listen: OutputListener): void {
    const outlets: Outlet[] = [];
    for (const { readEnd, writeEnd } of this.#pipes.values()) {
      closeSync(writeEnd);
      if (child.pid === undefined) closeSync(readEnd);
    }
    if (child.pid === undefined) return;
    if (this.#terminal) {
      const { master } = this.#terminal;
      const target = process.stdout.isTTY ? 1 : 2;
      outlets.push({ source: master, target, isTerminal: true });
      const terminal = new ReadStream(master);
      this.#relay(terminal, target, listen);
      this.#followWindowSize(master);
      if (this.#plan.stdin === 'terminal' && inForeground()) {
        this.#undo.push(forwardTyping(terminal));
      }
    }
    for (const [target, { readEnd }] of this.#pipes) {
      outlets.push({ source: readEnd, target, isTerminal: false });
      this.#relay(pipeReader(readEnd), target, listen, readEnd);
    }
    if (child.stdout) this.#relay(child.stdout as Socket, 1, listen);
    if (child.stderr) this.#relay(child.stderr as Socket, 2, listen);
    if (this.#libc && outlets.length > 0 && !this.#taken) {
      this.#fallback = new FallbackRelay(this.#libc, child.pid, outlets);
    }
  }

  /** Waits for the last output, then gives everything back. */
  async finish(): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.drain()));
    this.restore();
  }

  /** What the workload wrote waits for a reader who does not read, and the user has enough. */
  abandon(): void {
    for (const relay of this.#relays) relay.abandon();
  }

  /** Gives the user's terminal back as it was, whatever happened. */
  restore(): void {
    this.#fallback?.dismiss();
    for (const undo of this.#undo.splice(0)) undo();
  }

  #connection(fd: 1 | 2) {
    return fd === 1 ? this.#plan.stdout : this.#plan.stderr;
  }

  #relay(
    source: Socket | ReadStream,
    target: 1 | 2,
    listen: OutputListener,
    pipe: number | null = null,
  ): void {
    const stream = this.#taken ? nowhere() : target === 1 ? process.stdout : process.stderr;
    const bulk =
      this.#libc && pipe !== null && stream instanceof Socket
        ? new BulkRelay(this.#libc, pipe, stream, target)
        : null;
    // `highwater record … | head`: the workload must see a closed pipe as it would without us, so
    // nobody else may hold it open.
    const heard = (chunk: Buffer) => listen(chunk, target);
    this.#relays.push(new Relay(source, stream, heard, () => this.#fallback?.dismiss(), bulk));
  }

  #openTerminal(): Terminal | null {
    const { stdout, stderr } = this.#plan;
    if (!this.#libc || (stdout !== 'terminal' && stderr !== 'terminal')) return null;
    const terminal = this.#libc.openTerminal();
    this.#libc.copySettings(process.stdout.isTTY ? 1 : 2, terminal.master);
    this.#copyWindowSize(terminal.master);
    return terminal;
  }

  #followWindowSize(master: number): void {
    const own = ownTerminal();
    const resize = () => this.#copyWindowSize(master);
    own.on('resize', resize);
    this.#undo.push(() => own.off('resize', resize));
  }

  #copyWindowSize(master: number): void {
    const { rows, columns } = ownTerminal();
    this.#libc?.setWindowSize(master, rows ?? 24, columns ?? 80);
  }
}

/** Reads nothing ahead while it is paused: a terminal's stream does that by itself. */
function pipeReader(fd: number): Socket {
  const options = { fd, readable: true, writable: false, highWaterMark: 0 };
  return new Socket(options);
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

const ownTerminal = () => (process.stdout.isTTY ? process.stdout : process.stderr);
