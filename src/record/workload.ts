import { type ChildProcess, spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import { describeError, errnoCode, UserError } from '../base/errors.ts';
import { GATE_NAME } from '../sources/process-tree/gate.ts';
import { type Libc, loadLibc } from './libc.ts';
import {
  closeQuietly,
  forwardTyping,
  inForeground,
  type Listener,
  planStreams,
  Relay,
  readPipe,
  readTerminal,
} from './streams.ts';

export interface WorkloadOptions {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** cgroup.procs of a group that the workload joins before it starts. */
  readonly cgroupProcs: string | null;
  /** false: descriptors are handed down untouched. */
  readonly watch: boolean;
  readonly onOutput: Listener;
}

export interface WorkloadExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * What stands between us and the workload for an instant: it joins the control group, opens the
 * terminal (as the leader of a new session, which makes it the controlling one), and becomes the
 * workload. The pid stays.
 */
const GATE = [
  'group=$1 terminal=$2 streams=$3; shift 3',
  '[ -z "$group" ] || { echo $$ > "$group"; } 2>/dev/null',
  'case $streams in *0*) exec <"$terminal";; esac',
  'case $streams in *1*) exec >"$terminal";; esac',
  'case $streams in *2*) exec 2>"$terminal";; esac',
  'exec "$@"',
].join('\n');

/** The command under observation. */
export class Workload {
  readonly pid: number;
  /** Whether it leads a session of its own, so that its session id names its descendants. */
  readonly ownSession: boolean;
  readonly exited: Promise<WorkloadExit>;
  readonly #child: ChildProcess;
  readonly #relays: Relay[] = [];
  readonly #undo: (() => void)[] = [];

  static async start(options: WorkloadOptions): Promise<Workload> {
    const workload = new Workload(options);
    await workload.#started();
    return workload;
  }

  private constructor(options: WorkloadOptions) {
    const libc = options.watch ? loadLibc() : null;
    const plan = planStreams(options.watch, libc);
    const terminal =
      libc && (plan.stdout === 'terminal' || plan.stderr === 'terminal')
        ? libc.openTerminal()
        : null;
    if (terminal && libc) {
      if (isatty(0)) libc.copySettings(0, terminal.master);
      copyWindowSize(libc, terminal.master);
    }
    const toClose: number[] = [];
    const pipes = ([1, 2] as const).map((fd) => {
      if ((fd === 1 ? plan.stdout : plan.stderr) !== 'pipe' || !libc) return null;
      const [readEnd, writeEnd] = libc.pipe();
      toClose.push(writeEnd);
      return { readEnd, writeEnd, target: fd === 1 ? process.stdout : process.stderr };
    });
    const stdio = [
      plan.stdin === 'terminal' ? ('ignore' as const) : ('inherit' as const),
      ...([1, 2] as const).map((fd) => {
        const connection = fd === 1 ? plan.stdout : plan.stderr;
        if (connection === 'terminal') return 'ignore' as const;
        if (connection === 'untouched') return 'inherit' as const;
        return pipes[fd - 1]?.writeEnd ?? ('pipe' as const);
      }),
    ];
    const streams = [plan.stdin, plan.stdout, plan.stderr]
      .map((connection, fd) => (connection === 'terminal' ? fd : ''))
      .join('');
    const needsGate = terminal !== null || options.cgroupProcs !== null;
    const gate = ['-c', GATE, GATE_NAME, options.cgroupProcs ?? '', terminal?.path ?? '', streams];
    const [file, args] = needsGate
      ? ['/bin/sh', [...gate, ...options.argv]]
      : [options.argv[0]!, options.argv.slice(1)];

    this.ownSession = terminal !== null;
    this.#child = spawn(file, args, { stdio, env: options.env, detached: this.ownSession });
    this.pid = this.#child.pid ?? 0;
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    for (const fd of toClose) closeQuietly(fd);
    if (this.pid === 0) return;

    if (terminal && libc)
      this.#connectTerminal(terminal.master, plan.stdin === 'terminal', libc, options);
    pipes.forEach((pipe, i) => {
      const fallback = [this.#child.stdout, this.#child.stderr][i];
      const target = i === 0 ? process.stdout : process.stderr;
      const source = pipe ? readPipe(pipe.readEnd) : fallback;
      if (source) this.#relays.push(new Relay(source as never, target, options.onOutput));
    });
  }

  kill(signal: NodeJS.Signals): void {
    try {
      process.kill(this.pid, signal);
    } catch {}
  }

  /** Waits for the last output and gives the user's terminal back as it was. */
  async finish(): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.drain()));
    for (const undo of this.#undo.splice(0)) undo();
  }

  /** Gives the terminal back at once, whatever happens. */
  restoreTerminal(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  #connectTerminal(master: number, typing: boolean, libc: Libc, options: WorkloadOptions): void {
    const own = ownTerminal();
    const resize = () => copyWindowSize(libc, master);
    own.on('resize', resize);
    this.#undo.push(() => own.off('resize', resize));
    this.#relays.push(new Relay(readTerminal(master), own, options.onOutput));
    if (typing && inForeground()) this.#undo.push(forwardTyping(master));
  }

  async #started(): Promise<void> {
    if (this.pid !== 0) return;
    const error = await new Promise((resolve) => this.#child.once('error', resolve));
    const exitCode = errnoCode(error) === 'ENOENT' ? 127 : 126;
    throw new UserError(`cannot start the command: ${describeError(error)}`, { exitCode });
  }
}

const ownTerminal = () => (process.stdout.isTTY ? process.stdout : process.stderr);

function copyWindowSize(libc: Libc, master: number): void {
  const own = ownTerminal();
  libc.setWindowSize(master, own.rows ?? 24, own.columns ?? 80);
}
